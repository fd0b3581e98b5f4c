import { type ConsumerMessages, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { Bus } from './bus.ts'
import type { Consumer } from './consumer.ts'
import type { EventWork } from './event-work.ts'
import { ensureConsumer, findConsumer } from './durable-consumer.ts'
import { ensureStreams } from './jetstream.ts'
import { missing } from './missing.ts'

/**
 * Makes the streams and the consumer if they are missing and the bus may, and hands over messages until the signal, the
 * end of the connection, or the loss of the consumer; that last one throws, as does a consumer that is missing and may
 * not be made. Called again, it begins anew.
 */
export async function pullEvents(
  bus: Bus,
  consumer: Consumer,
  work: EventWork,
  signal: AbortSignal,
): Promise<void> {
  const connection = await bus.connection()
  const { stream, durable, concurrency } = consumer
  const created = await creationOf(bus, consumer)
  const source = await jetstream(connection).consumers.get(stream, durable)
  if (signal.aborted) return
  work.open(created)
  const messages = await source.consume({
    max_messages: concurrency * 2,
    expires: 10_000,
    idle_heartbeat: 2_000,
    abort_on_missing_resource: true,
  })
  const stop = () => messages.stop()
  const stopListening = bus.onDisconnect(stop)
  signal.addEventListener('abort', stop, { once: true })
  void stopWhenSilent(messages)
  try {
    if (signal.aborted || !bus.isConnected()) stop()
    for await (const message of messages) {
      work.take(message)
      await work.room()
    }
  } finally {
    stopListening()
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** How many events of the stream the consumer has not taken yet. Rejects while NATS is away. */
export async function pendingEvents(bus: Bus, { stream, durable }: Consumer): Promise<number> {
  if (!bus.isConnected()) throw new Error('NATS is away.')
  const manager = await jetstreamManager(await bus.connection(), { checkAPI: false })
  return (await manager.consumers.info(stream, durable)).num_pending
}

/** When the consumer was made, which tells it from another one of its name. */
async function creationOf(bus: Bus, consumer: Consumer): Promise<string> {
  const connection = await bus.connection()
  const manager = await jetstreamManager(connection, { checkAPI: false })
  if (bus.provisions) {
    await ensureStreams(connection)
    return (await ensureConsumer(manager, consumer)).created
  }
  const found = await findConsumer(manager, consumer.stream, consumer.durable)
  if (!found) throw missing(consumer.durable)
  return found.created
}

/** A consumer that another process made anew looks like the old one; only asking again tells. */
async function stopWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (type === 'heartbeats_missed') messages.stop()
}
