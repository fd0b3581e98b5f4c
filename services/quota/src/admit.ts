import type { Admission, Limits } from '@herald/contracts/quota'
import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations } from '@herald/event-store/organization'

/** So many requests of a key, and what the plan of its organization allows. */
export type Asked = { keyId: string; organizationId: string; count: number; limits: Limits }

type Row = {
  position: number
  granted: number
  refusal: Admission['refusal']
  at_ms: number
  remaining: number
  minute_resets_ms: number
  used_this_month: number
  month_resets_ms: number
}

/**
 * Counts requests against the minutes of their keys and the months of their organizations, in one statement, and answers
 * in the order asked. The rows' locks make it exact over any number of gateways. Each request is counted behind the wall of
 * its own organization: `admit` in the migrations enters it, so this needs no door.
 *
 * What a crash of Postgres may take with it is the last moment of counted requests. Waiting for the disk would make the
 * requests of an organization queue up behind each other.
 */
export async function admit(pool: Pool, asked: readonly Asked[]): Promise<Admission[]> {
  const inOrder = asked.toSorted((one, other) =>
    one.organizationId < other.organizationId ? -1 : 1,
  )
  const { rows } = await pool.query<Row>({
    name: 'admit',
    text: ADMIT,
    values: [
      inOrder.map(({ keyId }) => keyId),
      inOrder.map(({ organizationId }) => organizationId),
      inOrder.map(({ count }) => count),
      inOrder.map(({ limits }) => limits.requestsPerMinute),
      inOrder.map(({ limits }) => limits.requestsPerMonth),
    ],
  })
  const answers = new Map(inOrder.map((one, index) => [one, rows[index]]))
  return asked.map((one) => toAdmission(answers.get(one), one.limits))
}

const ADMIT = `
  select a.*, set_config('synchronous_commit', 'off', true)
  from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
         with ordinality as r (key, organization, requests, per_minute, per_month, position),
       lateral admit(r.key, r.organization, r.requests, r.per_minute, r.per_month) a
  order by r.position`

/**
 * Forgets the minutes of keys that are at rest; to have no row means the same. It waits for no key at work, because it
 * does not lock in the order of organizations.
 */
export async function forgetKeysAtRest(pool: Pool): Promise<void> {
  await acrossOrganizations(pool).query(
    `delete from key_minutes where key_id in (
       select key_id from key_minutes
       where tat < extract(epoch from quota_now() - interval '1 minute') * 1000000
       for update skip locked)`,
  )
}

function toAdmission(row: Row | undefined, limits: Limits): Admission {
  if (!row) throw new Error('The database did not answer whether a request may go on.')
  return {
    granted: row.granted,
    refusal: row.refusal,
    at: instant(row.at_ms),
    minute: {
      limit: limits.requestsPerMinute,
      remaining: row.remaining,
      resetsAt: instant(row.minute_resets_ms),
    },
    month: {
      limit: limits.requestsPerMonth,
      used: row.used_this_month,
      resetsAt: instant(row.month_resets_ms),
    },
  }
}

function instant(ms: number): string {
  return new Date(ms).toISOString()
}
