import {
  AckPolicy,
  type ConsumerInfo,
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { isDeepStrictEqual } from 'node:util'
import type { Bus } from './bus.ts'
import type { Consumer } from './consumer.ts'
import type { EventWork } from './event-work.ts'
import { ensureStreams } from './jetstream.ts'

const CONSUMER_NOT_FOUND = 10014

/**
 * Makes the streams and the consumer if they are missing, and hands over messages until the signal, the end of the
 * connection, or the loss of the consumer; that last one throws. Called again, it makes everything anew.
 */
export async function pullEvents(
  bus: Bus,
  consumer: Consumer,
  work: EventWork,
  signal: AbortSignal,
): Promise<void> {
  const connection = await bus.connection()
  await ensureStreams(connection)
  const manager = await jetstreamManager(connection, { checkAPI: false })
  const { created } = await ensureConsumer(manager, consumer)
  const { stream, durable, concurrency } = consumer
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

/** A consumer that another process made anew looks like the old one; only asking again tells. */
async function stopWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (type === 'heartbeats_missed') messages.stop()
}

/**
 * A consumer that exists is asked for, not made once more: nats-server 2.9 would note that moment as the one when it
 * was made, and it would look like another one after the next restart of NATS.
 */
async function ensureConsumer(
  manager: JetStreamManager,
  { stream, durable, filterSubject, concurrency, ackWaitMs }: Consumer,
): Promise<ConsumerInfo> {
  const changeable = {
    filter_subject: filterSubject,
    ack_wait: nanos(ackWaitMs),
    // Room for many replicas, each holding four times its handlers.
    max_ack_pending: Math.max(1_000, concurrency * 64),
    // A limit of the server's would strand messages silently; failures are counted here.
    max_deliver: -1,
  }
  const existing = await findConsumer(manager, stream, durable)
  if (!existing)
    return manager.consumers.add(stream, {
      ...changeable,
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
    })
  const wanted = { ...existing.config, ...changeable }
  if (isDeepStrictEqual(wanted, existing.config)) return existing
  await manager.consumers.update(stream, durable, changeable)
  return manager.consumers.info(stream, durable)
}

async function findConsumer(
  manager: JetStreamManager,
  stream: string,
  durable: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stream, durable)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND) return undefined
    throw error
  }
}
