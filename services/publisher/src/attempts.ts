import type { Platform } from '@herald/contracts/platforms'
import type { Pool } from '@herald/event-store/database'
import type { Attempt, AttemptKey, Outcome } from './attempt.ts'

/** What a worker has of an attempt. */
export const HELD = `post_id, channel_id, generation, organization_id, platform, fence, content, options,
  media_ids, due_at, deadline_at, step, is_prepared, tries, checks, called_at, created_at,
  first_generation, first_created_at, may_be_live_since`

const MINE = `post_id = $1 and channel_id = $2 and generation = $3 and fence = $4`

function mine(attempt: Attempt): [string, string, number, number] {
  return [attempt.post_id, attempt.channel_id, attempt.generation, attempt.fence]
}

export type NewAttempt = AttemptKey & {
  organization_id: string
  platform: string
  content: string
  options: Record<string, unknown>
  media_ids: string[]
  due_at: string
  /** How long after the due time the call may still be made. */
  within_minutes: number
  /** Set when it may have been called before, in time that a restore has lost. */
  may_be_live_since?: string | null
  /** How it ended in that time, when that is known. */
  outcome?: Outcome | null
}

/** After a restore there is at least this much time for look-ups, whatever was due when. */
const LOOK_UP_MINUTES = 15

/**
 * Adds attempts that are not there yet. Adding the same ones again changes nothing, but what has ended is told once more.
 * One that repeats an earlier attempt of its post and channel keeps that one's key. One that may have been called in time
 * that was lost is of unknown outcome, or ends as another attempt of its post and channel did when that one is live.
 */
export async function addAttempts(pool: Pool, attempts: readonly NewAttempt[]): Promise<number> {
  const { rowCount } = await pool.query(
    `insert into attempts (post_id, channel_id, generation, organization_id, platform, content, options,
       media_ids, due_at, deadline_at, next_attempt_at, first_generation, first_created_at,
       may_be_live_since, state, called_at, outcome, next_report_at)
     select post_id, channel_id, generation, organization_id, platform, content, options, media_ids, due_at,
       case when may_be_live_since is null then deadline.at
            else greatest(deadline.at, clock_timestamp() + interval '${LOOK_UP_MINUTES} minutes') end,
       clock_timestamp(), first_generation, first_created_at, may_be_live_since,
       case when live.outcome is not null then 'published'
            when may_be_live_since is not null then 'unknown' else 'claimed' end,
       case when may_be_live_since is not null then clock_timestamp() end,
       live.outcome, case when live.outcome is not null then clock_timestamp() end
     from jsonb_to_recordset($1::jsonb) as new (post_id text, channel_id text, generation int,
       organization_id text, platform text, content text, options jsonb, media_ids jsonb,
       due_at timestamptz, within_minutes int, may_be_live_since timestamptz, outcome jsonb)
     cross join lateral (select due_at + make_interval(mins => within_minutes) as at) deadline
     left join lateral (
       select coalesce(a.first_generation, a.generation) as first_generation,
              coalesce(a.first_created_at, a.created_at) as first_created_at
       from attempts a where (a.post_id, a.channel_id) = (new.post_id, new.channel_id)
         and a.generation < new.generation
       order by a.generation limit 1) as first on true
     cross join lateral (
       select coalesce(nullif(new.outcome, 'null'), (
         select a.outcome from attempts a where (a.post_id, a.channel_id) = (new.post_id, new.channel_id)
           and a.state = 'published' and new.may_be_live_since is not null limit 1)) as outcome) as live
     on conflict do nothing`,
    [JSON.stringify(attempts)],
  )
  const added = rowCount ?? 0
  if (added < attempts.length) await tellAgain(pool, attempts)
  return added
}

/** The posts service asks for what has been told already: its database is older than this one. */
async function tellAgain(pool: Pool, keys: readonly AttemptKey[]): Promise<void> {
  await pool.query(
    `update attempts a set next_report_at = clock_timestamp()
     from jsonb_to_recordset($1::jsonb) as key (post_id text, channel_id text, generation int)
     where (a.post_id, a.channel_id, a.generation) = (key.post_id, key.channel_id, key.generation)
       and a.state in ('published', 'rejected') and a.next_report_at is null`,
    [JSON.stringify(keys)],
  )
}

/** Holds an attempt for longer. False when it is no longer ours. */
export async function extendLease(
  pool: Pool,
  attempt: Attempt,
  leaseSeconds: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update attempts set lease_until = clock_timestamp() + make_interval(secs => $5)
     where ${MINE} and lease_until > clock_timestamp()`,
    [...mine(attempt), leaseSeconds],
  )
  return rowCount === 1
}

/** Keeps what preparing has brought so far, so that a later worker goes on from there. */
export async function saveStep(
  pool: Pool,
  attempt: Attempt,
  step: Record<string, unknown>,
  isPrepared: boolean,
): Promise<void> {
  await pool.query(
    `update attempts set step = $5, is_prepared = $6 where ${MINE} and state = 'claimed'`,
    [...mine(attempt), JSON.stringify(step), isPrepared],
  )
}

/**
 * Notes that the call which makes the post live is about to be made: committed before its first byte. Answers when,
 * by the database's clock, or nothing when there must be no call: the attempt is no longer ours, its time has passed,
 * a later attempt of its post and channel has taken its place, or an earlier one may be live.
 */
export async function beginCall(
  pool: Pool,
  attempt: Attempt,
  leaseSeconds: number,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ called_at: string }>(
    `with siblings as materialized (
       select generation, state from attempts
       where post_id = $1 and channel_id = $2 and generation <> $3 order by generation for update)
     update attempts
     set state = 'calling', called_at = clock_timestamp(), tries = tries + 1,
         lease_until = clock_timestamp() + make_interval(secs => $5)
     where ${MINE} and state = 'claimed' and lease_until > clock_timestamp()
       and deadline_at > clock_timestamp()
       and not exists (
         select from siblings s where s.generation > $3 or s.state in ('calling', 'unknown', 'published'))
     returning called_at`,
    [...mine(attempt), leaseSeconds],
  )
  return rows[0]?.called_at
}

/** How an attempt waits. */
export type Wait = {
  delayMs: number
  /** What it waits for, when that is more than its own next try: then no try is counted. */
  heldBy?: string | undefined
  /** The platform has lost what was prepared: the next try begins anew. */
  isUnprepared?: boolean | undefined
}

/**
 * Gives the attempt back, to be tried again after a delay. Only for what certainly did not happen. Nothing is
 * answered when that would be past its deadline, or when it is no longer ours.
 */
export async function postpone(
  pool: Pool,
  attempt: Attempt,
  { delayMs, heldBy, isUnprepared = false }: Wait,
): Promise<{ nextAttemptAt: string; tries: number } | undefined> {
  const { rows } = await pool.query<{ nextAttemptAt: string; tries: number }>(
    `update attempts
     set tries = tries + (state = 'claimed' and $6::text is null)::int, state = 'claimed',
         lease_until = null, held_by = $6,
         step = case when $7 then null else step end, is_prepared = is_prepared and not $7,
         next_attempt_at = clock_timestamp() + make_interval(secs => $5::float8 / 1000)
     where ${MINE} and state in ('claimed', 'calling')
       and clock_timestamp() + make_interval(secs => $5::float8 / 1000) < deadline_at
     returning next_attempt_at as "nextAttemptAt", tries`,
    [...mine(attempt), delayMs, heldBy ?? null, isUnprepared],
  )
  return rows[0]
}

/** What attempts waited for is over: they may be taken at once. */
export async function letGo(pool: Pool, heldBy: readonly string[]): Promise<void> {
  await pool.query(
    `update attempts set next_attempt_at = clock_timestamp(), held_by = null
     where held_by = any($1::text[]) and state = 'claimed' and next_attempt_at > clock_timestamp()`,
    [heldBy],
  )
}

/** Ends an attempt as rejected, to be reported. */
export async function reject(pool: Pool, attempt: Attempt, outcome: Outcome): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update attempts set state = 'rejected', outcome = $5, next_report_at = clock_timestamp(), lease_until = null
     where ${MINE} and state in ('claimed', 'calling', 'unknown')`,
    [...mine(attempt), JSON.stringify(outcome)],
  )
  return rowCount === 1
}

/**
 * Ends an attempt as published, to be reported. The fence is not asked: the post is live, and a late success of a
 * worker that lost its lease is the truth. It wins over `unknown` and `rejected`, never the other way.
 */
export async function recordPublished(
  pool: Pool,
  { post_id, channel_id, generation }: AttemptKey,
  outcome: Outcome,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update attempts set state = 'published', outcome = $4, next_report_at = clock_timestamp(), lease_until = null
     where post_id = $1 and channel_id = $2 and generation = $3 and state <> 'published'`,
    [post_id, channel_id, generation, JSON.stringify(outcome)],
  )
  return rowCount === 1
}

/**
 * Nobody knows what the call came to: from here on it is only looked up, first after `delaySeconds`, by the step that the call
 * has brought if it did.
 */
export async function markUnknown(
  pool: Pool,
  attempt: Attempt,
  delaySeconds: number,
  step?: Record<string, unknown>,
): Promise<void> {
  await pool.query(
    `update attempts set state = 'unknown', lease_until = null, checks = 0,
       step = coalesce($6::jsonb, step), next_attempt_at = clock_timestamp() + make_interval(secs => $5)
     where ${MINE} and state = 'calling'`,
    [...mine(attempt), delaySeconds, step ? JSON.stringify(step) : null],
  )
}

/** Calls whose worker was not heard of before its lease ran out become unknown. Answers the platform of each. */
export async function expireCalls(pool: Pool, delaySeconds: number): Promise<Platform[]> {
  const { rows } = await pool.query<{ platform: Platform }>(
    `update attempts set state = 'unknown', fence = fence + 1, lease_until = null, checks = 0,
       next_attempt_at = clock_timestamp() + make_interval(secs => $1)
     where state = 'calling' and lease_until < clock_timestamp() returning platform`,
    [delaySeconds],
  )
  return rows.map(({ platform }) => platform)
}

/**
 * A look-up that found nothing: the next one comes `delaySeconds` after the call, but before the deadline.
 * False when there is no time for another.
 */
export async function scheduleCheck(
  pool: Pool,
  attempt: Attempt,
  delaySeconds: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update attempts set checks = checks + 1, lease_until = null,
       next_attempt_at = least(called_at + make_interval(secs => $5), deadline_at)
     where ${MINE} and state = 'unknown' and clock_timestamp() < deadline_at`,
    [...mine(attempt), delaySeconds],
  )
  return rowCount === 1
}
