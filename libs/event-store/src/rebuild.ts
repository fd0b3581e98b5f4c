import type { Pool, PoolClient } from 'pg'
import { fold } from './decider.ts'
import { acrossOrganizations, enterAllOrganizations, type Queryable } from './organization.ts'
import { deleteOtherRows, type ReadTable, type Row, upsertRows } from './projection.ts'
import {
  type DomainEvent,
  type StoredEvent,
  type StreamType,
  toDomainEvent,
} from './stream-type.ts'

const BATCH = 500
const SNAPSHOT = 'begin isolation level repeatable read read only'

// oxlint-disable-next-line typescript/no-explicit-any -- a stream type of any state, command and event
export type AnyStreamType = StreamType<any, any, any>

/**
 * Folds every stream of a type and compares the result with the read model, in one snapshot per batch.
 * `mismatches` holds the ids of streams whose rows are not the fold of their events; it must stay empty.
 */
export async function checkProjection(
  pool: Pool,
  streamType: AnyStreamType,
): Promise<{ streams: number; mismatches: string[] }> {
  const mismatches: string[] = []
  const streams = await inBatches(pool, SNAPSHOT, async (client, after) => {
    const batch = await compareBatch(client, streamType, after)
    mismatches.push(...batch.mismatches)
    return batch.ids
  })
  return { streams, mismatches }
}

/**
 * The same for the first 500 streams behind an id. `last` is the id to go on from; nothing when there are no more.
 */
export async function checkSomeStreams(
  pool: Pool,
  streamType: AnyStreamType,
  after: string,
): Promise<{ last: string | undefined; mismatches: string[] }> {
  return inTransaction(pool, SNAPSHOT, async (client) => {
    const { ids, mismatches } = await compareBatch(client, streamType, after)
    return { last: ids.length === BATCH ? ids.at(-1) : undefined, mismatches }
  })
}

async function compareBatch(client: PoolClient, streamType: AnyStreamType, after: string) {
  const batch = await foldBatch(client, streamType, after)
  const mismatches = new Set<string>()
  for (const table of streamType.projection.tables)
    for (const id of await differingStreams(client, table, batch)) mismatches.add(id)
  return { ids: batch.ids, mismatches: [...mismatches] }
}

/**
 * Writes the read model anew from the events, some streams at a time: their writers wait for the moment in which their
 * rows are written, and readers see each stream either before or after. Rows without a stream go at the end.
 */
export async function rebuildProjection(
  pool: Pool,
  streamType: AnyStreamType,
): Promise<{ streams: number }> {
  const streams = await inBatches(pool, 'begin', (client, after) =>
    rebuildBatch(client, streamType, after),
  )
  for (const table of streamType.projection.tables)
    await acrossOrganizations(pool).query(
      `delete from ${table.name} old where not exists (
         select from streams s where s.stream_id = old.${table.stream} and s.type = $1)`,
      [streamType.name],
    )
  return { streams }
}

async function rebuildBatch(
  client: PoolClient,
  streamType: AnyStreamType,
  after: string,
): Promise<string[]> {
  const batch = await foldBatch(client, streamType, after, 'for share')
  for (const table of streamType.projection.tables) {
    const rows = JSON.stringify(batch.rows[table.name] ?? [])
    await client.query(deleteOtherRows(table, 'any($1::text[])', '$2'), [batch.ids, rows])
    await client.query(upsertRows(table, '$1'), [rows])
  }
  return batch.ids
}

/**
 * Works through the streams of all organizations in the order of their ids, each batch in a transaction of its own.
 * `work` is told after which id to go on and answers the ids it took. Answers how many there were.
 */
async function inBatches(
  pool: Pool,
  begin: string,
  work: (client: PoolClient, after: string) => Promise<string[]>,
): Promise<number> {
  let streams = 0
  let last: string | undefined = ''
  while (last !== undefined) {
    const after: string = last
    const ids = await inTransaction(pool, begin, (client) => work(client, after))
    streams += ids.length
    // New streams come at the end; whoever waited for there to be none would wait for ever under load.
    last = ids.length < BATCH ? undefined : ids.at(-1)
  }
  return streams
}

/** A transaction that sees the rows of all organizations. */
async function inTransaction<T>(
  pool: Pool,
  begin: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let isBroken = false
  try {
    await client.query(begin)
    await enterAllOrganizations(client)
    const value = await work(client)
    await client.query('commit')
    return value
  } catch (error) {
    await client.query('rollback').catch(() => (isBroken = true))
    throw error
  } finally {
    client.release(isBroken)
  }
}

/** `checkProjection` over several stream types of one database. */
export async function checkProjections(
  pool: Pool,
  streamTypes: readonly AnyStreamType[],
): Promise<{ streams: number; mismatches: string[] }> {
  const all = { streams: 0, mismatches: [] as string[] }
  for (const streamType of streamTypes) {
    const { streams, mismatches } = await checkProjection(pool, streamType)
    all.streams += streams
    all.mismatches.push(...mismatches)
  }
  return all
}

/** `rebuildProjection` over several stream types of one database. */
export async function rebuildProjections(
  pool: Pool,
  streamTypes: readonly AnyStreamType[],
): Promise<{ streams: number }> {
  let streams = 0
  for (const streamType of streamTypes)
    streams += (await rebuildProjection(pool, streamType)).streams
  return { streams }
}

type Batch = { ids: string[]; rows: Record<string, Row[]> }

async function foldBatch(
  client: Queryable,
  streamType: AnyStreamType,
  after: string,
  lock = '',
): Promise<Batch> {
  const { rows } = await client.query<{ stream_id: string }>(
    `select stream_id from streams where type = $1 and stream_id > $2 order by stream_id limit ${BATCH} ${lock}`,
    [streamType.name, after],
  )
  return foldStreams(
    client,
    streamType,
    rows.map(({ stream_id }) => stream_id),
  )
}

async function foldStreams(
  client: Queryable,
  streamType: AnyStreamType,
  ids: string[],
): Promise<Batch> {
  const { rows: stored } = await client.query<StoredEvent>(
    `select stream_id, version, type, schema_version, data from events
     where stream_id = any($1) order by stream_id, version`,
    [ids],
  )
  const batch: Batch = { ids, rows: {} }
  for (const [streamId, events] of Map.groupBy(stored, (event) => event.stream_id)) {
    const domain: DomainEvent[] = events.map((event) => toDomainEvent(streamType, event))
    const state: unknown = fold(streamType.decider, domain)
    const version = events.at(-1)?.version ?? 0
    const rows = streamType.projection.rows(state, { id: streamId, version })
    for (const [table, some] of Object.entries(rows)) (batch.rows[table] ??= []).push(...some)
  }
  return batch
}

/** The streams of the batch whose rows in the table are not the expected ones, compared by Postgres itself. */
async function differingStreams(
  client: PoolClient,
  table: ReadTable,
  batch: Batch,
): Promise<string[]> {
  const columns = table.columns.join(', ')
  const { rows } = await client.query<{ id: string }>(
    `with expected as (
       select ${columns} from jsonb_populate_recordset(null::${table.name}, $1::jsonb)),
     actual as (select ${columns} from ${table.name} where ${table.stream} = any($2))
     select distinct ${table.stream} as id from (
       (table expected except table actual) union all (table actual except table expected)) as different`,
    [JSON.stringify(batch.rows[table.name] ?? []), batch.ids],
  )
  return rows.map(({ id }) => id)
}
