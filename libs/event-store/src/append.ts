import { createHash } from 'node:crypto'
import { newId } from '@herald/contracts/ids'
import { inSpan } from '@herald/telemetry/span'
import type pg from 'pg'
import type { Queryable } from './organization.ts'
import { RiderRefused, sqlState, VersionConflict } from './errors.ts'
import { deleteOtherRows, type Projection, type Row, upsertRows } from './projection.ts'
import type { EventMeta } from './stream-type.ts'

/**
 * A statement that rides with an append and takes effect with it or not at all. Its parameters are written `$1`,
 * `$2` as usual. With `required`, the whole append is refused (`RiderRefused`) unless it returns a row.
 */
export type Rider = { name: string; sql: string; values: readonly unknown[]; required?: boolean }

export type Append = {
  streamId: string
  streamType: string
  organizationId: string
  /** The version the stream must have now; 0 for a stream that does not exist yet. */
  expectedVersion: number
  schemaVersion: number
  events: readonly { type: string; data: Record<string, unknown> }[]
  meta: EventMeta
  projection: Projection<never>
  /** The rows the read model has for this stream after the events. */
  rows: Record<string, Row[]>
  riders?: readonly Rider[]
}

/**
 * Appends events to a stream in ONE statement and one round trip: the guard, the events, the outbox, the read
 * model and the riders. The stream's row lock makes the next version start after this one has committed, so the
 * order of outbox ids is the order of versions within every stream.
 * Throws `VersionConflict` when the stream is not at `expectedVersion`, `RiderRefused` when a rider refused.
 */
export async function append(target: Queryable, input: Append): Promise<void> {
  const riders = input.riders ?? []
  const { name, text } = statementFor(input.projection, input.expectedVersion === 0, riders)
  const events = input.events.map((event) => ({ ...event, event_id: newId('event') }))
  const values = [
    input.streamId,
    input.streamType,
    input.organizationId,
    input.expectedVersion,
    input.schemaVersion,
    JSON.stringify(events),
    JSON.stringify(input.meta),
    ...input.projection.tables.map((table) => JSON.stringify(input.rows[table.name] ?? [])),
    ...riders.flatMap((rider) => rider.values),
  ]
  try {
    await inSpan(`append ${input.streamType}`, {}, () => target.query({ name, text, values }))
  } catch (error) {
    if (sqlState(error) === '23505' && (error as pg.DatabaseError).constraint === 'streams_pkey')
      throw new VersionConflict(input.streamId, { cause: error })
    if (sqlState(error) !== 'HD001') throw error
    const guard = (error as Error).message
    throw guard === 'version' ? new VersionConflict(input.streamId) : new RiderRefused(guard)
  }
}

const FIXED_PARAMETERS = 7
const statements = new Map<string, { name: string; text: string }>()

/** The statement for a read model and a set of riders, built once; its name lets Postgres keep the plan. */
function statementFor(projection: Projection<never>, isNew: boolean, riders: readonly Rider[]) {
  const shape = [
    isNew ? 'new' : 'next',
    ...projection.tables.map((table) => table.name),
    ...riders.map((rider) => rider.name),
  ].join('|')
  const known = statements.get(shape)
  if (known) return known
  const text = buildStatement(projection, isNew, riders)
  const name = `append_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  const built = { name, text }
  statements.set(shape, built)
  return built
}

function buildStatement(projection: Projection<never>, isNew: boolean, riders: readonly Rider[]) {
  const guards = [`require((select count(*) from stream) = 1, 'version')`]
  const parts = [isNew ? NEW_STREAM : NEXT_VERSION, NEW_EVENTS, QUEUED]
  let next = FIXED_PARAMETERS
  for (const table of projection.tables) {
    next += 1
    parts.push(`put_${table.name} as (${upsertRows(table, `$${next}`)})`)
    if (!isNew) parts.push(`cut_${table.name} as (${deleteOtherRows(table, '$1', `$${next}`)})`)
  }
  for (const rider of riders) {
    const offset = next
    parts.push(
      `${rider.name} as (${rider.sql.replaceAll(/\$(\d+)/g, (_, index) => `$${offset + Number(index)}`)})`,
    )
    if (rider.required)
      guards.push(`require((select count(*) from ${rider.name}) > 0, '${rider.name}')`)
    next += rider.values.length
  }
  return `with ${parts.join(',\n')}\nselect ${guards.join(', ')}`
}

const NEW_STREAM = `stream as (
  insert into streams (stream_id, type, organization_id, version)
  select $1, $2, $3, $4::int + jsonb_array_length($6::jsonb) returning 1)`

const NEXT_VERSION = `stream as (
  update streams set version = version + jsonb_array_length($6::jsonb)
  where stream_id = $1 and type = $2 and organization_id = $3 and version = $4::int returning 1)`

const NEW_EVENTS = `new_events as (
  insert into events (stream_id, version, event_id, organization_id, type, schema_version, data, meta)
  select $1, $4::int + event.position, event.value ->> 'event_id', $3, event.value ->> 'type', $5::smallint,
         event.value -> 'data', $7::jsonb
  from stream, jsonb_array_elements($6::jsonb) with ordinality as event (value, position)
  returning stream_id, version)`

const QUEUED = `queued as (
  insert into outbox (stream_id, version) select stream_id, version from new_events order by version)`
