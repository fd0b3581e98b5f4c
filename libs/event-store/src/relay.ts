import { crashPoint } from '@herald/service/crash-point'
import type { Logger } from '@herald/service/logger'
import { type Loop, loop } from '@herald/service/supervise'
import pg from 'pg'
import { typeParser } from './database.ts'
import {
  type EventStream,
  type OutgoingMessage,
  type StreamPosition,
  Overtaken,
} from '@herald/service/event-stream'
import { ACROSS_ORGANIZATIONS } from './organization.ts'
import { deleteFromOutbox, FULL_BATCH, readEventsSince, readOutbox } from './outbox.ts'
import { findLoss, lastSureInstant, writeMark } from './relay-marks.ts'
import type { StoredEvent } from './stream-type.ts'

export type RelayOptions = {
  databaseUrl: string
  /** Shown in `pg_stat_activity`. */
  name: string
  stream: EventStream
  /** The public form of a stored event, or nothing for one that stays inside the service. */
  toPublic: (event: StoredEvent) => OutgoingMessage | undefined
  /** Done each time before the first event is handed over after an outage, and each minute. While it throws, none is. */
  beforeRelaying?: () => Promise<void>
  logger: Logger
}

export type Relay = { wake: () => void; close: () => Promise<void> }

/** The advisory lock that makes one relay the leader of a database. */
const LEADER_LOCK = 7_301_002
const BATCH_PAUSE_MS = 10
const IDLE_MS = 250
const NOT_LEADER_MS = 1_000
const MARK_EVERY_MS = 5_000
const CHECK_EVERY_MS = 60_000

/**
 * Hands the events of a database's outbox to the bus, in order, at least once. One relay per database works at a
 * time: it holds an advisory lock on its own connection. Messages are sent without waiting in between, so each says
 * what it must stand directly behind: the first one the bus's last sequence, every other one the message before it.
 * A lost message makes the bus refuse all that follow, and neither the relay of another database nor one that lost its
 * lock can get in between unseen. (Expecting sequences all along would not do: a message of another relay
 * can take the place of a refused one, and the next would be let through.) When the bus turns out to have lost
 * messages, they are published again from Postgres.
 */
export function startRelay(options: RelayOptions): Relay {
  const session: Session = {
    options,
    client: undefined,
    base: undefined,
    afterOutage: true,
    isIdle: true,
    markedAt: 0,
    checkedAt: 0,
  }
  const work: Loop = loop({
    name: 'relay',
    logger: options.logger,
    run: () => relayOnce(session),
  })
  const stopListening = options.stream.onReconnect(() => {
    session.afterOutage = true
    work.wake()
  })
  return {
    // A relay at work comes round by itself in a moment; waking it for each event would make batches of one.
    wake: () => session.isIdle && work.wake(),
    close: async () => {
      stopListening()
      await work.close()
      await disconnect(session)
    },
  }
}

type Session = {
  options: RelayOptions
  client: pg.Client | undefined
  /** The bus's last sequence as far as this relay knows; undefined when it must ask. */
  base: number | undefined
  /** The bus or this relay was away: what was sent just before may be lost. */
  afterOutage: boolean
  /** The outbox was empty at the last look. */
  isIdle: boolean
  markedAt: number
  checkedAt: number
}

async function relayOnce(session: Session): Promise<number> {
  try {
    const client = await lead(session)
    if (!client) return NOT_LEADER_MS
    if (session.afterOutage || Date.now() - session.checkedAt > CHECK_EVERY_MS)
      await repairBus(session, client)
    const published = await publishOutbox(session, client)
    await markNow(session, client, published > 0)
    session.isIdle = published === 0
    if (session.isIdle) return IDLE_MS
    return published < FULL_BATCH ? BATCH_PAUSE_MS : 0
  } catch (error) {
    if (error instanceof Overtaken) {
      session.base = undefined
      return 0
    }
    await disconnect(session)
    throw error
  }
}

/** The connection that holds the leader's lock, or nothing while another relay leads. */
async function lead(session: Session): Promise<pg.Client | undefined> {
  if (session.client) return session.client
  const client = new pg.Client({
    connectionString: session.options.databaseUrl,
    application_name: `${session.options.name}-relay`,
    connectionTimeoutMillis: 3_000,
    query_timeout: 30_000,
    keepAlive: true,
    // What the relay writes can be lost: an event that is published twice is a duplicate for the bus.
    options: `-c synchronous_commit=off -c role=${ACROSS_ORGANIZATIONS}`,
    types: { getTypeParser: typeParser },
  })
  client.on('error', () => (session.client = undefined))
  try {
    await client.connect()
    const { rows } = await client.query<{ leads: boolean }>(
      'select pg_try_advisory_lock($1) as leads',
      [LEADER_LOCK],
    )
    if (!rows[0]?.leads) {
      await client.end()
      return undefined
    }
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
  session.client = client
  session.base = undefined
  session.afterOutage = true
  return client
}

async function disconnect(session: Session): Promise<void> {
  const { client } = session
  session.client = undefined
  session.base = undefined
  await client?.end().catch(() => undefined)
}

/** Finds out where the bus stands, and gives it again what it lost or may have lost. */
async function repairBus(session: Session, client: pg.Client): Promise<void> {
  const { stream, logger, beforeRelaying } = session.options
  await beforeRelaying?.()
  const position = await stream.position()
  session.base = position.lastSequence
  const loss = await findLoss(client, position)
  if (loss) {
    logger.warn({ loss, position }, 'The bus lost events; publishing them again.')
    // After a purge the bus still knows the ids and would take the messages for duplicates.
    const suffix = loss.isPurge ? `~${position.firstSequence}` : ''
    const republished = await republish(session, client, loss.since, suffix)
    logger.warn({ republished }, 'The lost events are on the bus again.')
    await writeMark(client, await stream.position())
  } else if (session.afterOutage) {
    const since = await lastSureInstant(client)
    if (since !== undefined) await republish(session, client, since)
  }
  session.afterOutage = false
  session.checkedAt = Date.now()
}

async function republish(
  session: Session,
  client: pg.Client,
  since: string,
  idSuffix = '',
): Promise<number> {
  let republished = 0
  for await (const events of readEventsSince(client, since)) {
    const messages = events
      .map(session.options.toPublic)
      .filter((message) => message !== undefined)
      .map((message) => ({ ...message, id: `${message.id}${idSuffix}` }))
    await publishInOrder(session, messages)
    republished += messages.length
  }
  return republished
}

/** Publishes a batch of the outbox and deletes what the bus acknowledged. Returns how many rows went. */
async function publishOutbox(session: Session, client: pg.Client): Promise<number> {
  const rows = await readOutbox(client)
  if (rows.length === 0) return 0
  crashPoint('relay.read')
  const messages = rows.map(session.options.toPublic)
  const acknowledged = await publishPipelined(
    session,
    messages.filter((message) => message !== undefined),
  )
  crashPoint('relay.published')
  let position = 0
  const done = rows.filter((_, index) => !messages[index] || acknowledged.done[position++])
  await deleteFromOutbox(
    client,
    done.map(({ id }) => id),
  )
  crashPoint('relay.deleted')
  if (acknowledged.failure !== undefined) throw acknowledged.failure
  return done.length
}

/** Sends all messages without waiting in between; each expects to stand directly behind the one before it. */
async function publishPipelined(session: Session, messages: OutgoingMessage[]) {
  const { stream } = session.options
  const base = session.base ?? (await stream.position()).lastSequence
  const results = await Promise.allSettled(
    messages.map((message, index) => {
      const before = messages[index - 1]
      return stream.publish(message, before ? { id: before.id } : { sequence: base })
    }),
  )
  const done = results.map((result) => result.status === 'fulfilled')
  const failure: unknown = results.find((result) => result.status === 'rejected')?.reason
  const last = results.at(-1)
  const isClean = results.every(
    (result) => result.status === 'fulfilled' && !result.value.duplicate,
  )
  if (!isClean) session.base = undefined
  else if (last?.status === 'fulfilled') session.base = last.value.sequence
  return { done, failure }
}

/** Publishes all the messages, asking the bus where it stands as often as needed. */
async function publishInOrder(session: Session, messages: OutgoingMessage[]): Promise<void> {
  let left = messages
  while (left.length > 0) {
    const { done, failure } = await publishPipelined(session, left)
    if (failure !== undefined && !(failure instanceof Overtaken)) throw failure
    left = left.filter((_, index) => !done[index])
  }
}

async function markNow(session: Session, client: pg.Client, isBusy: boolean): Promise<void> {
  if (!isBusy && session.markedAt > 0 && Date.now() - session.markedAt < CHECK_EVERY_MS) return
  if (Date.now() - session.markedAt < MARK_EVERY_MS) return
  const position: StreamPosition = await session.options.stream.position()
  await writeMark(client, position)
  session.markedAt = Date.now()
}
