"""Prints every event of every post once, in order: NATS_URL=nats://127.0.0.1:4222 python3 docs/examples/consume_events.py"""

import asyncio
import json
import os
import signal

import nats
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

STREAM = "HERALD_EVENTS"
CONSUMER = ConsumerConfig(
    durable_name=os.environ.get("DURABLE", "my-team-posts"),  # the server keeps your place under this name
    filter_subject="herald.events.v1.post.>",
    deliver_policy=DeliverPolicy.ALL,
    ack_policy=AckPolicy.EXPLICIT,
    ack_wait=30,  # seconds; without an acknowledgement for so long, it comes again
    max_ack_pending=1,  # one at a time, so that a later event never overtakes one that comes again
)

# In a real program both are kept in your database and written in the same transaction as the effect.
handled = set()  # event ids
positions = {}  # post id -> sequence of its last event


def handle(event):
    subject, sequence = event["subject"], event["sequence"]
    if event["id"] in handled or sequence <= positions.get(subject, 0):
        return
    print(subject, sequence, event["type"], json.dumps(event["data"]), flush=True)
    handled.add(event["id"])
    positions[subject] = sequence


async def consume(stream, stopped):
    await stream.add_consumer(STREAM, CONSUMER)  # changes nothing where it is there already
    subscription = await stream.pull_subscribe_bind(durable=CONSUMER.durable_name, stream=STREAM)
    try:
        while not stopped.is_set():
            for message in await subscription.fetch(1, timeout=1):
                handle(json.loads(message.data))
                await message.ack()  # only after it was handled
    finally:
        await subscription.unsubscribe()


async def main():
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stopped.set)
    servers = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")
    connection = await nats.connect(servers, max_reconnect_attempts=-1)
    while not stopped.is_set():
        try:
            await consume(connection.jetstream(), stopped)
        except (nats.errors.Error, asyncio.TimeoutError):
            # Nothing came, NATS is away, or it has lost the consumer, which is then made again.
            await asyncio.sleep(0.1)
    await connection.close()


asyncio.run(main())
