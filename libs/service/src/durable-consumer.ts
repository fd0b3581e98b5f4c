import type { DurableConsumer } from '@herald/contracts/consumers'
import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { isDeepStrictEqual } from 'node:util'

/** There is no such consumer; there is no such stream. */
const NOT_FOUND = [10014, 10059]

/**
 * Makes a durable pull consumer if it is missing, and brings its settings up to date. One that exists is asked for, not
 * made once more: nats-server 2.9 would note that moment as the one when it was made, and it would look like another one
 * after the next restart of NATS.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  { stream, durable, filterSubject, concurrency, ackWaitMs, maxAckPending }: DurableConsumer,
): Promise<ConsumerInfo> {
  const changeable = {
    filter_subject: filterSubject,
    ack_wait: nanos(ackWaitMs),
    // Room for many replicas, each holding four times its handlers.
    max_ack_pending: maxAckPending ?? Math.max(1_000, concurrency * 64),
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

/** What the server says of a consumer; undefined when it, or its stream, is not there. */
export async function findConsumer(
  manager: JetStreamManager,
  stream: string,
  durable: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stream, durable)
  } catch (error) {
    if (error instanceof JetStreamApiError && NOT_FOUND.includes(error.code)) return undefined
    throw error
  }
}
