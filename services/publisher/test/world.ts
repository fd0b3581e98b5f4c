import type { ChannelAccess } from '@herald/contracts/channels'
import { newId } from '@herald/contracts/ids'
import { Platform } from '@herald/contracts/platforms'
import { openDatabase } from '@herald/event-store/database'
import { createLogger } from '@herald/service/logger'
import { testDatabase } from '@herald/testing/database'
import { expect } from 'vitest'
import type { Attempt, AttemptKey, Outcome } from '../src/attempt.ts'
import { addAttempts, type NewAttempt } from '../src/attempts.ts'
import { migrate } from '../src/migrate.ts'
import { findLanes, takeAttempts, type Waiting } from '../src/take-attempts.ts'

export const LEASE_SECONDS = 60

/** A row of the table, as far as tests look at it. */
export type AttemptRow = Attempt & {
  state: string
  lease_until: string | null
  next_attempt_at: string
  next_report_at: string | null
  outcome: Outcome | null
  held_by: string | null
}

export type World = Awaited<ReturnType<typeof publisherWorld>>

/** The attempts of one test, in a database of its own. */
export async function publisherWorld(connections = 10) {
  const copy = await testDatabase('publisher', migrate)
  const { pool, close } = openDatabase<Record<string, never>>({
    url: copy.url,
    name: 'publisher-test',
    connections,
    acrossOrganizations: true,
  })
  return {
    pool,
    logger: createLogger({ service: 'publisher', level: 'silent' }),
    async [Symbol.asyncDispose]() {
      await close()
      await copy[Symbol.asyncDispose]()
    },
  }
}

/** An attempt to add: due now, on a post and channel of its own. */
export function newAttempt(change: Partial<NewAttempt> = {}): NewAttempt {
  return {
    post_id: newId('post'),
    channel_id: newId('channel'),
    generation: 2,
    organization_id: newId('organization'),
    platform: 'MASTODON',
    content: 'Hello',
    options: {},
    media_ids: [],
    due_at: new Date().toISOString(),
    within_minutes: 58,
    ...change,
  }
}

/** Adds one attempt and takes it, as a worker does. */
export async function held(world: World, change: Partial<NewAttempt> = {}): Promise<Attempt> {
  expect(await addAttempts(world.pool, [newAttempt(change)])).toBe(1)
  return take(world, 'claimed')
}

/** Takes what there is to be taken, at most so many. */
export async function takeDue(
  pool: World['pool'],
  state: Waiting,
  limit: number,
  leaseSeconds: number,
): Promise<Attempt[]> {
  const starts = Platform.options.map((platform) => ({ platform, after: '' }))
  const taken: Attempt[] = []
  while (taken.length < limit) {
    const lanes = (await findLanes(pool, state, starts)).filter(({ is_due }) => is_due)
    const more = lanes.slice(0, limit - taken.length)
    const attempts = await takeAttempts(pool, state, more, leaseSeconds)
    if (attempts.length === 0) break
    taken.push(...attempts)
  }
  return taken
}

/** Takes the only attempt that is there to be taken. */
export async function take({ pool }: World, state: Waiting): Promise<Attempt> {
  const taken = await takeDue(pool, state, 10, LEASE_SECONDS)
  expect(taken).toHaveLength(1)
  return taken[0]!
}

export async function rowOf({ pool }: World, key: AttemptKey): Promise<AttemptRow> {
  const { rows } = await pool.query<AttemptRow>(
    'select * from attempts where post_id = $1 and channel_id = $2 and generation = $3',
    [key.post_id, key.channel_id, key.generation],
  )
  expect(rows).toHaveLength(1)
  return rows[0]!
}

/** As if the lease had run out. */
export async function loseLease({ pool }: World): Promise<void> {
  await pool.query(`update attempts set lease_until = clock_timestamp() - interval '1 second'`)
}

/** As if it were time for what is put off. */
export async function comeDue({ pool }: World): Promise<void> {
  await pool.query('update attempts set next_attempt_at = clock_timestamp()')
}

/** As if everything so far had happened this much earlier. */
export async function letPass({ pool }: World, interval: string): Promise<void> {
  await pool.query(
    `update attempts set due_at = due_at - $1::interval, deadline_at = deadline_at - $1::interval,
       lease_until = lease_until - $1::interval, next_attempt_at = next_attempt_at - $1::interval,
       called_at = called_at - $1::interval, next_report_at = next_report_at - $1::interval,
       created_at = created_at - $1::interval`,
    [interval],
  )
}

export const LIVE = {
  platformPostId: '42',
  url: 'https://social.example/@someone/42',
  publishedAt: '2026-01-01T12:00:00.000Z',
}

export const PUBLISHED = {
  outcome: 'published',
  ...LIVE,
  latenessMs: 7,
  attempts: 1,
} satisfies Outcome

export const REJECTED = {
  outcome: 'failed',
  error: 'No.',
  errorCode: 'rejected',
  retryable: false,
  attempts: 1,
  latenessMs: null,
} satisfies Outcome

export function accessTo(channelId: string): ChannelAccess {
  return {
    channelId,
    platform: 'MASTODON',
    baseUrl: 'https://social.example',
    token: 'token-1',
    account: '1',
    username: 'someone',
    settings: {},
    limits: {},
  }
}
