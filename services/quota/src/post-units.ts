import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'
import { inBatches } from '@herald/service/batches'

type Unit = { organizationId: string; postId: string }

export type Reserved = {
  /** The first so many of the posts. */
  granted: number
  /** How many count in this month now, with these. */
  used: number
  resetsAt: string
}

/** Takes so many of the month's posts as are left, for the time given. */
export async function reservePosts(
  pool: Pool,
  { organizationId, postIds }: { organizationId: string; postIds: readonly string[] },
  { limit, seconds }: { limit: number; seconds: number },
): Promise<Reserved> {
  const { rows } = await forOrganization(pool, organizationId).query<{
    granted: number
    used: number
    resets_at: string
  }>({
    name: 'reserve_posts',
    text: RESERVE,
    values: [organizationId, postIds, limit, seconds],
  })
  const [row] = rows
  if (!row) throw new Error('The database did not answer whether a post may be created.')
  return { granted: row.granted, used: row.used, resetsAt: row.resets_at }
}

const RESERVE = `
  with moment as materialized (select quota_now() as at),
  taken as (
    insert into post_months as m (organization_id, month, used)
    select $1, month_of(at), least(cardinality($2::text[]), $3::bigint) from moment where $3 > 0
    on conflict (organization_id, month)
    do update set used = least(m.used + cardinality($2::text[]), $3) where m.used < $3
    returning month, used, used - coalesce(old.used, 0) as granted),
  unit as (
    insert into post_units (post_id, organization_id, month, state, expires_at)
    select post_id, $1, month, 'reserved', at + make_interval(secs => $4)
    from taken, moment, unnest($2) with ordinality as p (post_id, position) where position <= granted)
  select coalesce((select granted from taken), 0) as granted,
         -- Those who took the last ones may have committed after this statement began.
         coalesce((select used from taken),
           greatest($3, (select used from post_months where organization_id = $1 and month = month_of(at)))) as used,
         month_end(month_of(at)) as resets_at
  from moment`

/** Gives back what is reserved for a post. A post that counts already goes on to count. */
export async function releasePost(pool: Pool, { organizationId, postId }: Unit): Promise<void> {
  await forOrganization(pool, organizationId).query(
    `with gone as (
       delete from post_units where post_id = $1 and organization_id = $2 and state = 'reserved' returning month)
     update post_months m set used = m.used - 1 from gone
     where m.organization_id = $2 and m.month = gone.month`,
    [postId, organizationId],
  )
}

/**
 * What is reserved for posts counts from now on; answers for each whether something was. It does not wait for the disk:
 * when a crash takes it back, the reservation runs out and the sweep finds the post.
 */
export async function confirmReservations(pool: Pool, units: readonly Unit[]): Promise<boolean[]> {
  const { rows } = await acrossOrganizations(pool).query<{ post_id: string }>({
    name: 'confirm_reservations',
    text: `update post_units u set state = 'counted', expires_at = null
           from unnest($1::text[], $2::text[]) as p (post_id, organization_id)
           where u.post_id = p.post_id and u.organization_id = p.organization_id and u.state = 'reserved'
           returning u.post_id, set_config('synchronous_commit', 'off', true)`,
    values: [units.map(({ postId }) => postId), units.map(({ organizationId }) => organizationId)],
  })
  const confirmed = new Set(rows.map(({ post_id }) => post_id))
  return units.map(({ postId }) => confirmed.has(postId))
}

export type CreatedPost = Unit & { createdAt: string }

/**
 * Counts posts that were created. Those that come together are one statement, as long as each has its reservation, which
 * is nearly always so.
 */
export function postCounter(pool: Pool): (post: CreatedPost) => Promise<void> {
  const confirm = inBatches<Unit, boolean>(
    (units) => confirmReservations(pool, units),
    LARGEST_BATCH,
  )
  return async (post) => {
    if (!(await confirm(post))) await countWithoutReservation(pool, post)
  }
}

const LARGEST_BATCH = 64

/**
 * A post counts also when its reservation is gone or never was, because the post exists. Can be told any number of times;
 * does nothing to a post that was cancelled.
 */
async function countWithoutReservation(
  pool: Pool,
  { organizationId, postId, createdAt }: CreatedPost,
): Promise<void> {
  await forOrganization(pool, organizationId).query(
    `with unit as (
       insert into post_units as u (post_id, organization_id, month, state)
       select $1, $2, month_of($3), 'counted' where month_of($3) >= ${OLDEST_MONTH}
       on conflict (post_id) do update set state = 'counted', expires_at = null where u.state = 'reserved'
       returning u.month, old.state as before)
     insert into post_months as m (organization_id, month, used) select $2, month, 1 from unit where before is null
     on conflict (organization_id, month) do update set used = m.used + 1`,
    [postId, organizationId, createdAt],
  )
}

/**
 * A post was cancelled before it was published: it counts no more, for ever. Can be told any number of times, and before
 * its creation.
 */
export async function cancelPost(pool: Pool, { organizationId, postId }: Unit): Promise<void> {
  await forOrganization(pool, organizationId).query(
    `with unit as (
       insert into post_units as u (post_id, organization_id, month, state)
       values ($1, $2, month_of(quota_now()), 'cancelled')
       on conflict (post_id) do update set state = 'cancelled', expires_at = null where u.state <> 'cancelled'
       returning u.month, old.state as before)
     -- The row is there; but a creation that was waited for may have made it, and an update would not see it.
     insert into post_months as m (organization_id, month, used) select $2, month, 0 from unit where before is not null
     on conflict (organization_id, month) do update set used = m.used - 1`,
    [postId, organizationId],
  )
}

/** Reservations of all organizations whose time has passed, oldest first. */
export async function expiredReservations(pool: Pool, limit: number): Promise<Unit[]> {
  const { rows } = await acrossOrganizations(pool).query<{
    post_id: string
    organization_id: string
  }>(
    `select post_id, organization_id from post_units
     where state = 'reserved' and expires_at <= quota_now() order by expires_at limit $1`,
    [limit],
  )
  return rows.map((row) => ({ postId: row.post_id, organizationId: row.organization_id }))
}

/** What is older than last month can no longer change a limit. It is forgotten, and events from then are ignored. */
const OLDEST_MONTH = `month_of(date_trunc('month', quota_now(), 'UTC') - interval '1 day')`

/** Forgets the posts of months that no longer matter. */
export async function forgetOldPosts(pool: Pool): Promise<void> {
  await acrossOrganizations(pool).query(
    `delete from post_units where month < ${OLDEST_MONTH} and state <> 'reserved'`,
  )
}
