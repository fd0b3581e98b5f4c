import type pg from 'pg'
import type { StreamPosition } from '@herald/service/event-stream'

/** How long the bus keeps events. What is older needs no second publishing. */
const RETENTION_DAYS = 30
/** How far before a mark events are published again: more than any clock or commit is late. */
const OVERLAP = '3 minutes'

/** Notes where the bus stands now. */
export async function writeMark(client: pg.Client, position: StreamPosition): Promise<void> {
  await client.query({
    name: 'write_relay_mark',
    text: `with old as (delete from relay_mark where at < now() - interval '${RETENTION_DAYS} days')
           insert into relay_mark (stream_created, last_sequence) values ($1, $2)
           on conflict (at) do nothing`,
    values: [position.created, position.lastSequence],
  })
}

/** What the bus lost: everything since an instant. A purge leaves the bus with the memory of the ids it had. */
export type Loss = { since: string; isPurge: boolean }

/**
 * What must be published again, because the bus lost what it had: it was made anew (another creation time), rolled
 * back (it ends before the newest mark) or purged (it begins after it). Undefined when it has all it should.
 */
export async function findLoss(
  client: pg.Client,
  position: StreamPosition,
): Promise<Loss | undefined> {
  const { rows } = await client.query<{ stream_created: string; last_sequence: number }>(
    `select stream_created, last_sequence from relay_mark
     where at > now() - interval '${RETENTION_DAYS - 1} days' order by at desc limit 1`,
  )
  const newest = rows[0]
  if (!newest) return undefined
  const isSameStream = newest.stream_created === position.created
  // A stream that nothing was purged from begins with its first message, or with the one the mark has seen.
  const isPurge = isSameStream && position.firstSequence > Math.max(newest.last_sequence, 1)
  const isWhole = isSameStream && newest.last_sequence <= position.lastSequence && !isPurge
  return isWhole ? undefined : { since: await republishFrom(client, position), isPurge }
}

/**
 * The instant from which events may be missing although the bus looks whole: a server that crashed may have
 * acknowledged messages that it had not yet written to disk, and the newest mark is some seconds old.
 */
export async function lastSureInstant(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ since: string }>(
    `select (at - interval '10 seconds')::text as since from relay_mark order by at desc limit 1`,
  )
  return rows[0]?.since
}

async function republishFrom(client: pg.Client, position: StreamPosition): Promise<string> {
  const { rows } = await client.query<{ since: string }>(
    `select coalesce(
       (select at - interval '${OVERLAP}' from relay_mark
        where stream_created = $1 and last_sequence between $2 and $3 order by at desc limit 1),
       now() - interval '${RETENTION_DAYS} days')::text as since`,
    [position.created, Math.max(position.firstSequence, 1), position.lastSequence],
  )
  return rows[0]?.since ?? '-infinity'
}
