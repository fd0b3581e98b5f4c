import type { Platform } from '@herald/contracts/platforms'
import type { Pool } from '@herald/event-store/database'
import type { Attempt } from './attempt.ts'
import { HELD } from './attempts.ts'

/** What attempts wait for: to be published (`claimed`) or to be looked up (`unknown`). */
export type Waiting = 'claimed' | 'unknown'

/** An account on a platform, whose attempts stand in a line. */
export type Lane = { platform: Platform; organization_id: string; channel_id: string }

/** A lane that was passed; `is_due` when something could be taken from it. */
export type SeenLane = Lane & { is_due: boolean }

/** Where to begin on a platform: behind this organization. */
export type Start = { platform: Platform; after: string }

/** Lanes that one walk passes on a platform. Measured, it takes 15 µs for each. */
const LONGEST_WALK = 500

const IN_STATE = `state = $1 and state in ('claimed', 'unknown') and platform = start.platform`
const IS_DUE = `next_attempt_at <= now() and (lease_until is null or lease_until < now())`

/**
 * The lanes that have something to be taken, of each platform in the order of a ring of organizations, and the last one
 * that was passed. The walk goes from lane to lane by the index, so ten thousand attempts of one account cost as much as one.
 */
export async function findLanes(
  pool: Pool,
  state: Waiting,
  starts: readonly Start[],
): Promise<SeenLane[]> {
  // Without a name, so that it is planned each time: a plan made while the table is empty would read all of a full one.
  const { rows } = await pool.query<SeenLane>(FIND_LANES, [
    state,
    starts.map(({ platform }) => platform),
    starts.map(({ after }) => after),
    LONGEST_WALK,
  ])
  return rows
}

/** The first lane that fits, or the one of its attempts that has waited longest. */
function firstLane(where: string, isWrapped: string): string {
  return `(select organization_id, channel_id, next_attempt_at, ${isWrapped} as is_wrapped
     from attempts where ${IN_STATE} and ${where}
     order by organization_id, channel_id, next_attempt_at limit 1)`
}

// Of two parts that are joined by `union all` under a limit of 1, the second is run only when the first is empty.
const FIND_LANES = `
  select start.platform, lane.*
  from unnest($2::text[], $3::text[]) as start (platform, after),
    lateral (
      with recursive walk as (
        select first.*, 1 as step from (
          ${firstLane('organization_id > start.after', 'false')} union all ${firstLane('true', 'true')} limit 1) first
        union all
        select next.*, step + 1 from walk, lateral (
          ${firstLane('(organization_id, channel_id) > (walk.organization_id, walk.channel_id)', 'walk.is_wrapped')}
          union all ${firstLane('not walk.is_wrapped', 'true')} limit 1) next
        where step < $4 and (not next.is_wrapped or next.organization_id <= start.after))
      select organization_id, channel_id, coalesce(due.is_due, false) as is_due
      from walk left join lateral (
        select true as is_due from attempts
        where ${IN_STATE} and organization_id = walk.organization_id and channel_id = walk.channel_id
          and walk.next_attempt_at <= now() and ${IS_DUE}
        order by next_attempt_at limit 1) due on true
      where is_due or step = (select max(step) from walk)
      order by step) lane`

/**
 * Takes the attempts that have waited longest of these lanes, as many of each as it is named, for `leaseSeconds`. Whoever
 * held one before can no longer change it. There may be less than that, and then there may be more the next time.
 */
export async function takeAttempts(
  pool: Pool,
  state: Waiting,
  lanes: readonly Lane[],
  leaseSeconds: number,
): Promise<Attempt[]> {
  const named = [...Map.groupBy(lanes, ({ channel_id }) => channel_id).values()]
  const each = named.flatMap((same) => same.slice(0, 1))
  const { rows } = await pool.query<Attempt>(TAKE, [
    state,
    each.map(({ platform }) => platform),
    each.map(({ organization_id }) => organization_id),
    each.map(({ channel_id }) => channel_id),
    named.map(({ length }) => length),
    leaseSeconds,
  ])
  return rows
}

// The limit is a number that stands there, or Postgres would take it for a tenth of the lane and sort all of it.
const TAKE = `
  with waiting as materialized (
    select lane.* from unnest($2::text[], $3::text[], $4::text[], $5::int[])
        as start (platform, organization_id, channel_id, most),
      lateral (
        select post_id, channel_id, generation, row_number() over (order by next_attempt_at) as place
        from (
          select post_id, channel_id, generation, next_attempt_at from attempts
          where ${IN_STATE} and organization_id = start.organization_id and channel_id = start.channel_id
            and ${IS_DUE}
          order by next_attempt_at limit 16) first) lane
    where lane.place <= start.most),
  next as materialized (
    select post_id, channel_id, generation
    from waiting join attempts using (post_id, channel_id, generation)
    where state = $1 and ${IS_DUE} for update of attempts skip locked)
  update attempts a
  set fence = a.fence + 1, lease_until = clock_timestamp() + make_interval(secs => $6)
  from next n
  where (a.post_id, a.channel_id, a.generation) = (n.post_id, n.channel_id, n.generation)
  returning ${HELD.replaceAll(/(\w+)/g, 'a.$1')}`
