import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'

/** A channel for which something is to be done now. */
export type DueChannel = { organizationId: string; channelId: string; expiresAt: number | null }

type DueRow = { organization_id: string; channel_id: string; expires_at: string | null }

const DAY_MS = 86_400_000

/**
 * Takes channels whose tokens want to be renewed, the longest due first. One that is taken is due again after a minute,
 * and after twice as long each time nothing has come of it, up to an hour; a renewal that succeeds sets its own time. So
 * a process that dies with it loses nothing.
 */
export function claimRenewals(pool: Pool, now: number, limit: number): Promise<DueChannel[]> {
  return claim(pool, { at: 'renew_at', attempts: 'renew_attempts', firstMs: 60_000 }, now, limit)
}

/** The same for channels whose platforms are to be asked for the account's limits. */
export function claimLimits(pool: Pool, now: number, limit: number): Promise<DueChannel[]> {
  const what = { at: 'limits_at', attempts: 'limits_attempts', firstMs: 300_000 }
  return claim(pool, what, now, limit)
}

const MOST_DOUBLED = 6
const LONGEST_MS = 3_600_000

async function claim(
  pool: Pool,
  { at, attempts, firstMs }: { at: string; attempts: string; firstMs: number },
  now: number,
  limit: number,
): Promise<DueChannel[]> {
  const { rows } = await acrossOrganizations(pool).query<DueRow>({
    name: `claim_${at}`,
    text: `with due as (
             select channel_id from credentials where ${at} <= $1 order by ${at} limit $2 for update skip locked)
           update credentials c set ${attempts} = ${attempts} + 1,
             ${at} = $1::timestamptz + make_interval(secs =>
               least(${firstMs} * power(2, least(${attempts}, ${MOST_DOUBLED})), ${LONGEST_MS}) / 1000
               * (0.75 + random() / 2))
           from due where c.channel_id = due.channel_id
           returning c.organization_id, c.channel_id, c.expires_at`,
    values: [new Date(now).toISOString(), limit],
  })
  return rows.map((row) => ({
    organizationId: row.organization_id,
    channelId: row.channel_id,
    expiresAt: row.expires_at === null ? null : Date.parse(row.expires_at),
  }))
}

/** The account's limits were read: again in about a day, or never where the platform tells none. */
export async function noteLimitsRead(
  pool: Pool,
  { organizationId, channelId }: Pick<DueChannel, 'organizationId' | 'channelId'>,
  next: 'never' | { now: number },
): Promise<void> {
  const at =
    next === 'never' ? null : new Date(next.now + DAY_MS * (0.9 + Math.random() / 5)).toISOString()
  await forOrganization(pool, organizationId).query(
    `update credentials set limits_at = $3::timestamptz, limits_attempts = 0
     where channel_id = $1 and organization_id = $2`,
    [channelId, organizationId, at],
  )
}
