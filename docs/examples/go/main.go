// Prints every event of every post once, in order: NATS_URL=nats://127.0.0.1:4222 go run -C docs/examples/go .
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const stream = "HERALD_EVENTS"

type event struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Subject  string          `json:"subject"`
	Sequence uint64          `json:"sequence"`
	Data     json.RawMessage `json:"data"`
}

// In a real program both are kept in your database and written in the same transaction as the effect.
var (
	handled   = map[string]bool{}   // event ids
	positions = map[string]uint64{} // post id -> sequence of its last event
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	connection, err := nats.Connect(env("NATS_URL", nats.DefaultURL), nats.MaxReconnects(-1))
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	server, err := jetstream.New(connection)
	if err != nil {
		log.Fatal(err)
	}
	for ctx.Err() == nil {
		// NATS is away, or it has lost the consumer, which is then made again.
		if err := consume(ctx, server); err != nil && ctx.Err() == nil {
			log.Print(err)
			time.Sleep(time.Second)
		}
	}
}

func consume(ctx context.Context, server jetstream.JetStream) error {
	making, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	// Changes nothing where it is there already.
	consumer, err := server.CreateOrUpdateConsumer(making, stream, jetstream.ConsumerConfig{
		Durable:       env("DURABLE", "my-team-posts"), // the server keeps your place under this name
		FilterSubject: "herald.events.v1.post.>",
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       30 * time.Second, // without an acknowledgement for so long, it comes again
		MaxAckPending: 1,                // one at a time, so that a later event never overtakes one that comes again
	})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	for {
		message, err := messages.Next()
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := handle(message.Data()); err != nil {
			return err
		}
		if err := message.Ack(); err != nil { // only after it was handled
			return err
		}
	}
}

func handle(body []byte) error {
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return err
	}
	if handled[e.ID] || e.Sequence <= positions[e.Subject] {
		return nil
	}
	fmt.Println(e.Subject, e.Sequence, e.Type, string(e.Data))
	handled[e.ID] = true
	positions[e.Subject] = e.Sequence
	return nil
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
