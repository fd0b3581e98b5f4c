// Prints every event of every post once, in order: NATS_URL=nats://127.0.0.1:4222 node docs/examples/consume-events.ts
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, nanos } from '@nats-io/transport-node'

type Event = { id: string; type: string; subject: string; sequence: number; data: object }

const durable = process.env.DURABLE ?? 'my-team-posts' // the server keeps your place under this name
const servers = process.env.NATS_URL ?? 'nats://127.0.0.1:4222'
const connection = await connect({ servers, maxReconnectAttempts: -1 })
const manager = await jetstreamManager(connection)
await manager.consumers.add('HERALD_EVENTS', {
  durable_name: durable,
  filter_subject: 'herald.events.v1.post.>',
  deliver_policy: DeliverPolicy.All,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(30_000), // without an acknowledgement for so long, it comes again
  max_ack_pending: 1, // one at a time, so that a later event never overtakes one that comes again
})

// In a real program both are kept in your database and written in the same transaction as the effect.
const handled = new Set<string>() // event ids
const positions = new Map<string, number>() // post id → sequence of its last event

function handle(event: Event): void {
  if (handled.has(event.id) || event.sequence <= (positions.get(event.subject) ?? 0)) return
  console.log(`${event.subject} ${event.sequence} ${event.type} ${JSON.stringify(event.data)}`)
  handled.add(event.id)
  positions.set(event.subject, event.sequence)
}

const consumer = await jetstream(connection).consumers.get('HERALD_EVENTS', durable)
const messages = await consumer.consume({ max_messages: 1 })
process.once('SIGINT', () => messages.stop())
for await (const message of messages) {
  handle(message.json<Event>())
  message.ack() // only after it was handled
}
await connection.drain()
