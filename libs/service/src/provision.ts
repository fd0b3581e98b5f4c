import type { DurableConsumer } from '@herald/contracts/consumers'
import {
  AckPolicy,
  type ConsumerInfo,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type StreamConfig,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { isDeepStrictEqual } from 'node:util'
import { ensureConsumer, findConsumer } from './durable-consumer.ts'
import { STREAMS, type WantedStream } from './jetstream.ts'

export type ProvisionOptions = {
  connection: NatsConnection
  consumers: readonly DurableConsumer[]
  /** How many servers keep each message. Without it a new stream has one copy, and an existing one what it has. */
  replicas?: number | undefined
  /** Told of each change that was made. */
  log: (line: string) => void
}

/** What is there cannot be made into what is needed without losing something; the message says what to do. */
export class ProvisionRefused extends Error {
  override name = 'ProvisionRefused'
}

const STREAM_NOT_FOUND = 10059

/**
 * Makes Herald's streams and the given durable consumers, or brings them up to date. Run again, it changes nothing. What
 * a stream keeps is never made less: limits of an operator stay when they are wider, and nothing is deleted. Throws
 * `ProvisionRefused` when something of that name is of another kind, before anything else is changed.
 */
export async function provision(options: ProvisionOptions): Promise<void> {
  const { connection, consumers, replicas, log } = options
  const manager = await jetstreamManager(connection)
  const existing = await Promise.all(STREAMS.map(({ name }) => findStream(manager, name)))
  for (const [index, stream] of STREAMS.entries()) refuseStream(stream, existing[index])
  const before = await Promise.all(
    consumers.map(({ stream, durable }) => findConsumer(manager, stream, durable)),
  )
  for (const consumer of before) refuseConsumer(consumer)
  for (const [index, stream] of STREAMS.entries())
    await provisionStream(manager, stream, existing[index], replicas, log)
  for (const [index, consumer] of consumers.entries()) {
    const { config } = await ensureConsumer(manager, consumer)
    const was = before[index]
    if (!was) log(`The consumer ${consumer.durable} is made.`)
    else if (!isDeepStrictEqual(was.config, config))
      log(`The consumer ${consumer.durable} is brought up to date.`)
  }
}

async function provisionStream(
  manager: JetStreamManager,
  wanted: WantedStream,
  existing: StreamConfig | undefined,
  replicas: number | undefined,
  log: (line: string) => void,
): Promise<void> {
  if (!existing) {
    await manager.streams.add({ ...wanted, num_replicas: replicas ?? 1 })
    return log(`The stream ${wanted.name} is made.`)
  }
  const changes = changesOf(existing, wanted, replicas)
  if (Object.keys(changes).length === 0) return
  await manager.streams.update(wanted.name, changes)
  log(`The stream ${wanted.name} is brought up to date: ${JSON.stringify(changes)}`)
}

/** What has to be changed of a stream. Whatever is wider than needed stays as it is. */
function changesOf(
  existing: StreamConfig,
  wanted: WantedStream,
  replicas = existing.num_replicas,
): Partial<StreamConfig> {
  const changes: Partial<StreamConfig> = {}
  const { max_age, max_msg_size = -1, duplicate_window } = wanted
  if (isLess(existing.max_age, max_age)) changes.max_age = max_age
  if (isLess(existing.max_msg_size, max_msg_size)) changes.max_msg_size = max_msg_size
  if (existing.duplicate_window < duplicate_window) changes.duplicate_window = duplicate_window
  if (!existing.allow_direct) changes.allow_direct = true
  if (existing.num_replicas !== replicas) changes.num_replicas = replicas
  return changes
}

/** Whether a limit is narrower than another one; 0 and less is no limit. */
function isLess(limit: number, other: number): boolean {
  return limit > 0 && (other <= 0 || limit < other)
}

function refuseStream(wanted: WantedStream, existing: StreamConfig | undefined): void {
  if (!existing) return
  for (const key of ['subjects', 'retention', 'storage', 'discard'] as const)
    if (!isDeepStrictEqual(existing[key], wanted[key]))
      throw new ProvisionRefused(
        `The stream ${wanted.name} has ${key} ${JSON.stringify(existing[key])}, and Herald needs ` +
          `${JSON.stringify(wanted[key])}. It holds copies only: delete it, run this again, and Herald fills it again.`,
      )
}

function refuseConsumer(existing: ConsumerInfo | undefined): void {
  if (!existing) return
  const { stream_name: stream, name, config } = existing
  if (config.deliver_subject === undefined && config.ack_policy === AckPolicy.Explicit) return
  throw new ProvisionRefused(
    `The consumer ${name} of ${stream} is not a pull consumer with explicit acknowledgements. ` +
      'Delete it, run this again, and it begins with the oldest event that is kept.',
  )
}

async function findStream(
  manager: JetStreamManager,
  name: string,
): Promise<StreamConfig | undefined> {
  try {
    return (await manager.streams.info(name)).config
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return undefined
    throw error
  }
}
