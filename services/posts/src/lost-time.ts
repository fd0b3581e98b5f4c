import { unavailable } from '@herald/contracts/errors'
import type { CloudEvent } from '@herald/contracts/events'
import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations } from '@herald/event-store/organization'
import { noteMove, UNTIL } from '@herald/event-store/restores'
import type { EventStream } from '@herald/service/event-stream'
import type { Logger } from '@herald/service/logger'
import { loop } from '@herald/service/supervise'
import { type LostResult, lostResults, POST_EVENTS } from './lost-results.ts'

type Sources = { pool: Pool; stream: EventStream }

const CHECK_EVERY_MS = 60_000

/** Tells when the first check of this process has been made; it is made until it succeeds. */
export type Check = {
  /** Throws `unavailable` before. */
  require: () => void
  close: () => Promise<void>
}

/** Checks at the start, and each minute, whether the database went back in time. */
export function startCheck({ logger, ...sources }: Sources & { logger: Logger }): Check {
  let isChecked = false
  const checking = loop({
    name: 'lost-time',
    logger,
    run: async () => {
      const isRestored = await noteLostTime(sources)
      isChecked = true
      if (isRestored)
        logger.error('The database went back in time. What may be live already is looked up.')
      return CHECK_EVERY_MS
    },
  })
  return {
    require: () => {
      if (!isChecked) throw unavailable()
    },
    close: checking.close,
  }
}

/**
 * Notes a restore when the database moved, or when the bus has an event that the database does not have. An event gets
 * there only after it was committed, so then the database is older than it was. Answers whether one was noted.
 */
export async function noteLostTime(sources: Sources): Promise<boolean> {
  const { pool, stream } = sources
  const isMoved = await noteMove(pool)
  const last = await stream.last(POST_EVENTS)
  const isAhead = last !== undefined && !(await isKnown(pool, last))
  if (isAhead) await noteLostEvents(pool, last, lostResults(await readLost(sources)))
  await acrossOrganizations(pool).query(
    'update restores set is_handled = true where not is_handled',
  )
  return isMoved || isAhead
}

/** Whether the database has an event, or has noted already that it lost it. */
async function isKnown(pool: Pool, event: CloudEvent): Promise<boolean> {
  const { rowCount } = await acrossOrganizations(pool).query(
    `select from events where stream_id = $1 and version = $2 and event_id = $3
     union all select from restores where evidence = $4`,
    [event.subject, event.sequence, event.id, evidenceOf(event)],
  )
  return rowCount !== 0
}

function evidenceOf({ id }: CloudEvent): string {
  return `the bus has ${id}`
}

const BATCH = 500

/** The events that only the bus has. What is before the newest note of where the bus stood is not read. */
async function readLost({ pool, stream }: Sources): Promise<CloudEvent[]> {
  const { created } = await stream.position()
  const { rows } = await acrossOrganizations(pool).query<{ sequence: number }>(
    `select coalesce(max(last_sequence), 0) as sequence from relay_mark where stream_created = $1`,
    [created],
  )
  const lost: CloudEvent[] = []
  let batch: CloudEvent[] = []
  for await (const event of stream.readFrom(POST_EVENTS, rows[0]?.sequence ?? 0)) {
    if (batch.push(event) < BATCH) continue
    lost.push(...(await missing(pool, batch)))
    batch = []
  }
  return [...lost, ...(await missing(pool, batch))]
}

async function missing(pool: Pool, events: CloudEvent[]): Promise<CloudEvent[]> {
  const { rows } = await acrossOrganizations(pool).query<{ id: string }>(
    `select bus.id from unnest($1::text[], $2::int[], $3::text[]) as bus (subject, sequence, id)
     where not exists (
       select from events where stream_id = bus.subject and version = bus.sequence and event_id = bus.id)`,
    [
      events.map(({ subject }) => subject),
      events.map(({ sequence }) => sequence),
      events.map(({ id }) => id),
    ],
  )
  const ids = new Set(rows.map(({ id }) => id))
  return events.filter(({ id }) => ids.has(id))
}

/**
 * Notes the restore together with what the bus tells of it. Posts that are being published start once more on the bus,
 * because the publisher may have told long ago what came of them.
 */
async function noteLostEvents(pool: Pool, last: CloudEvent, results: LostResult[]): Promise<void> {
  await acrossOrganizations(pool).query(
    `with noted as (
       insert into restores (since, until, evidence)
       select coalesce((select max(at) from relay_mark), '-infinity'), ${UNTIL}, $1
       on conflict (evidence) do nothing returning 1),
     kept as (
       insert into lost_results (post_id, channel_id, organization_id, live)
       select lost.* from noted, jsonb_to_recordset($2::jsonb)
         as lost (post_id text, channel_id text, organization_id text, live jsonb)
       on conflict (post_id, channel_id) do update set live = coalesce(excluded.live, lost_results.live))
     insert into outbox (stream_id, version)
     select e.stream_id, max(e.version) from noted, posts p join events e on e.stream_id = p.id
     where p.status = 'publishing' and e.type = 'PublishStarted' group by e.stream_id`,
    [evidenceOf(last), JSON.stringify(results)],
  )
}
