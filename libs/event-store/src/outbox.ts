import type pg from 'pg'
import type { Queryable } from './organization.ts'
import type { StoredEvent } from './stream-type.ts'

export type OutboxRow = StoredEvent & { id: number }

/** How many rows are read at a time. */
export const FULL_BATCH = 500
const EVENT_COLUMNS =
  'stream_id, version, event_id, organization_id, type, schema_version, data, meta, at'

/** The oldest events that the bus has not acknowledged. */
export async function readOutbox(client: pg.Client): Promise<OutboxRow[]> {
  const { rows } = await client.query<OutboxRow>({
    name: 'read_outbox',
    text: `select o.id, ${EVENT_COLUMNS}
           from (select * from outbox order by id limit ${FULL_BATCH}) o join events using (stream_id, version)
           order by o.id`,
  })
  return rows
}

/** Forgets what the bus has acknowledged. */
export async function deleteFromOutbox(client: pg.Client, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await client.query({
    name: 'delete_from_outbox',
    text: 'delete from outbox where id = any($1::bigint[])',
    values: [ids],
  })
}

/** How far behind the bus is: the number of waiting events and the age of the oldest. */
export async function outboxDepth(
  target: Queryable,
): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await target.query<{ waiting: number; oldest: number | null }>(
    `select count(*)::int as waiting, extract(epoch from clock_timestamp() - min(at))::float8 as oldest
     from outbox join events using (stream_id, version)`,
  )
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 }
}

/** The events since an instant in the order (time, stream, version), a batch at a time. */
export async function* readEventsSince(client: pg.Client, since: string) {
  let after: [string, string, number] = [since, '', 0]
  for (;;) {
    const { rows } = await client.query<StoredEvent & { exact: string }>({
      name: 'read_events_since',
      text: `select ${EVENT_COLUMNS}, at::text as exact from events
             where at >= $1::timestamptz and (at, stream_id, version) > ($1::timestamptz, $2, $3::int)
             order by at, stream_id, version limit ${FULL_BATCH}`,
      values: after,
    })
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = [last.exact, last.stream_id, last.version]
  }
}
