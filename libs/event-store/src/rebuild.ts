import type { Pool, PoolClient } from 'pg'
import { fold } from './decider.ts'
import type { Queryable } from './append.ts'
import { deleteOtherRows, type ReadTable, type Row, upsertRows } from './projection.ts'
import {
  type DomainEvent,
  type StoredEvent,
  type StreamType,
  toDomainEvent,
} from './stream-type.ts'

const BATCH = 500
const CATCH_UP_ROUNDS = 50

// oxlint-disable-next-line typescript/no-explicit-any -- a stream type of any state, command and event
type AnyStreamType = StreamType<any, any, any>

/**
 * Folds every stream of a type and compares the result with the read model, in one snapshot per batch.
 * `mismatches` holds the ids of streams whose rows are not the fold of their events; it must stay empty.
 */
export async function checkProjection(
  pool: Pool,
  streamType: AnyStreamType,
): Promise<{ streams: number; mismatches: string[] }> {
  const client = await pool.connect()
  const mismatches: string[] = []
  let streams = 0
  let after = ''
  try {
    for (;;) {
      await client.query('begin isolation level repeatable read read only')
      const batch = await foldBatch(client, streamType, after)
      for (const table of streamType.projection.tables)
        mismatches.push(...(await differingStreams(client, table, batch)))
      await client.query('commit')
      if (batch.ids.length === 0) break
      streams += batch.ids.length
      after = batch.ids.at(-1) ?? after
    }
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    client.release()
  }
  return { streams, mismatches: [...new Set(mismatches)] }
}

/**
 * Builds the read model anew from the events into new tables, catches up with what is written meanwhile, and
 * swaps them in one short transaction. Reads and writes go on; writers wait during the last catch-up only.
 */
export async function rebuildProjection(
  pool: Pool,
  streamType: AnyStreamType,
): Promise<{ streams: number }> {
  const { tables } = streamType.projection
  const client = await pool.connect()
  try {
    await client.query(`set statement_timeout = 0`)
    await makeNewTables(client, tables)
    let after = ''
    for (;;) {
      const batch = await foldBatch(client, streamType, after)
      if (batch.ids.length === 0) break
      await writeBatch(client, streamType, batch)
      after = batch.ids.at(-1) ?? after
    }
    // Busy writers are always some streams ahead, so the rest is caught up while they wait.
    for (let round = 0; round < CATCH_UP_ROUNDS; round++)
      if ((await catchUp(client, streamType)) < BATCH) break
    await client.query('begin')
    await client.query(`set local lock_timeout = '5s'`)
    await client.query('lock table streams in share mode')
    while ((await catchUp(client, streamType)) > 0);
    const { rows } = await client.query<{ count: number }>('select count(*)::int from rebuild')
    for (const table of tables) {
      await client.query(`drop table ${table.name}`)
      await client.query(`alter table ${table.name}_new rename to ${table.name}`)
    }
    await client.query('drop table rebuild')
    await client.query('commit')
    return { streams: rows[0]?.count ?? 0 }
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    await client.query('reset statement_timeout').catch(() => undefined)
    client.release()
  }
}

async function makeNewTables(client: PoolClient, tables: readonly ReadTable[]): Promise<void> {
  await client.query('drop table if exists rebuild')
  await client.query('create table rebuild (stream_id text primary key, version int not null)')
  for (const { name } of tables) {
    await client.query(`drop table if exists ${name}_new`)
    await client.query(`create table ${name}_new (like ${name} including all)`)
  }
}

/** Folds again some of the streams that moved since they were folded. Answers how many; 0 means none is left. */
async function catchUp(client: PoolClient, streamType: AnyStreamType): Promise<number> {
  const { rows } = await client.query<{ stream_id: string }>(
    `select s.stream_id from streams s left join rebuild r using (stream_id)
     where s.type = $1 and s.version is distinct from r.version limit ${BATCH}`,
    [streamType.name],
  )
  const ids = rows.map(({ stream_id }) => stream_id)
  if (ids.length > 0)
    await writeBatch(client, streamType, await foldStreams(client, streamType, ids))
  return ids.length
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

type Batch = {
  ids: string[]
  versions: { stream_id: string; version: number }[]
  rows: Record<string, Row[]>
}

async function foldBatch(
  client: Queryable,
  streamType: AnyStreamType,
  after: string,
): Promise<Batch> {
  const { rows } = await client.query<{ stream_id: string }>(
    `select stream_id from streams where type = $1 and stream_id > $2 order by stream_id limit ${BATCH}`,
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
  const batch: Batch = { ids, versions: [], rows: {} }
  for (const [streamId, events] of Map.groupBy(stored, (event) => event.stream_id)) {
    const domain: DomainEvent[] = events.map((event) => toDomainEvent(streamType, event))
    const state: unknown = fold(streamType.decider, domain)
    const version = events.at(-1)?.version ?? 0
    batch.versions.push({ stream_id: streamId, version })
    const rows = streamType.projection.rows(state, { id: streamId, version })
    for (const [table, some] of Object.entries(rows)) (batch.rows[table] ??= []).push(...some)
  }
  return batch
}

async function writeBatch(
  client: PoolClient,
  streamType: AnyStreamType,
  batch: Batch,
): Promise<void> {
  for (const table of streamType.projection.tables) {
    const rows = JSON.stringify(batch.rows[table.name] ?? [])
    const target = `${table.name}_new`
    await client.query(deleteOtherRows(table, 'any($1::text[])', '$2', target), [batch.ids, rows])
    await client.query(upsertRows(table, '$1', target), [rows])
  }
  await client.query(
    `insert into rebuild select stream_id, version
     from jsonb_populate_recordset(null::rebuild, $1::jsonb)
     on conflict (stream_id) do update set version = excluded.version`,
    [JSON.stringify(batch.versions)],
  )
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
