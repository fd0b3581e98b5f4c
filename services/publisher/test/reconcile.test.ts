import { AppError } from '@herald/contracts/errors'
import { describe, expect, test } from 'vitest'
import { publish } from '../src/publish.ts'
import { reconcile } from '../src/reconcile.ts'
import { takeReports } from '../src/reports.ts'
import { type PublishingWorld, publishingWorld } from './publishing-world.ts'
import {
  type AttemptRow,
  comeDue,
  held,
  LEASE_SECONDS,
  letPass,
  LIVE,
  rowOf,
  take,
  takeDue,
} from './world.ts'

/** An attempt whose call came to nobody knows what. */
async function unknown(world: PublishingWorld) {
  const attempt = await held(world)
  await publish(world.deps, attempt)
  expect((await rowOf(world, attempt)).state).toBe('unknown')
  return attempt
}

async function lookUpOnce(world: PublishingWorld) {
  await comeDue(world)
  const attempt = await take(world, 'unknown')
  await reconcile(world.deps, attempt)
  return rowOf(world, attempt)
}

function expectNextLook(row: AttemptRow, checks: number, seconds: number): void {
  expect(row).toMatchObject({ state: 'unknown', checks, outcome: null })
  expect(Date.parse(row.next_attempt_at) - Date.parse(row.called_at!)).toBe(seconds * 1000)
}

function expectUnconfirmed(row: AttemptRow): void {
  expect(row).toMatchObject({
    state: 'rejected',
    outcome: { outcome: 'failed', errorCode: 'unconfirmed', retryable: false, attempts: 1 },
  })
  expect(row.outcome).toHaveProperty('error', expect.stringMatching(/account/))
}

describe('looking up a call of unknown outcome', () => {
  test('finds the post live: it is published, as late as the call was', async () => {
    await using world = await publishingWorld()
    await unknown(world)
    world.script.lookUp = () => ({ found: LIVE })
    const row = await lookUpOnce(world)
    const latenessMs = Date.parse(row.called_at!) - Date.parse(row.due_at)
    expect(row).toMatchObject({
      state: 'published',
      outcome: { outcome: 'published', ...LIVE, attempts: 1, latenessMs },
    })
    expect(await takeReports(world.pool, 10, 5)).toMatchObject([{ outcome: row.outcome }])
    expect(world.calls.commit).toHaveLength(1)
  })

  test('is told what the call said, its step, and when it was begun', async () => {
    await using world = await publishingWorld()
    const attempt = await unknown(world)
    const row = await lookUpOnce(world)
    const { signal: _one, ...said } = world.calls.commit[0]!
    const { signal: _other, ...asked } = world.calls.lookUp[0]!
    expect(asked).toEqual({ ...said, calledAt: row.called_at })
    expect(asked.idempotencyKey).toContain(attempt.post_id)
  })

  test('comes 5, 30, 120 and 600 seconds after the call, and ends as unconfirmed when the post is absent each time', async () => {
    await using world = await publishingWorld()
    await unknown(world)
    for (const [index, seconds] of [30, 120, 600].entries())
      expectNextLook(await lookUpOnce(world), index + 1, seconds)
    expectUnconfirmed(await lookUpOnce(world))
    expect(await takeReports(world.pool, 10, 5)).toHaveLength(1)
    expect(world.calls.lookUp).toHaveLength(4)
    expect(world.calls.commit).toHaveLength(1)
    for (const state of ['claimed', 'unknown'] as const)
      expect(await takeDue(world.pool, state, 10, LEASE_SECONDS)).toEqual([])
  })

  test.for([
    ['the platform is at work on the post', () => ({ pending: 'Still at work.' })],
    [
      'the connector fails',
      () => {
        throw new Error('a bug')
      },
    ],
  ] satisfies [string, () => { pending: string }][])(
    'goes on every ten minutes until the time is over while %s, and ends as unconfirmed',
    async ([, lookUp]) => {
      await using world = await publishingWorld()
      await unknown(world)
      world.script.lookUp = lookUp
      const seconds = [30, 120, 600, 1200, 1800, 2400, 3000]
      for (const [index, each] of seconds.entries())
        expectNextLook(await lookUpOnce(world), index + 1, each)
      const last = await lookUpOnce(world)
      expect(last).toMatchObject({ state: 'unknown', next_attempt_at: last.deadline_at })
      await letPass(world, '58 minutes')
      expectUnconfirmed(await lookUpOnce(world))
      expect(world.calls.commit).toHaveLength(1)
    },
  )

  test('finds that the platform judged the post and made nothing live: it has failed with the reason', async () => {
    await using world = await publishingWorld()
    await unknown(world)
    world.script.lookUp = () => ({ pending: 'Still at work.' })
    await lookUpOnce(world)
    world.script.lookUp = () => ({
      refused: { errorCode: 'media_unfit', message: 'The video is too short.' },
    })
    const row = await lookUpOnce(world)
    expect(row).toMatchObject({
      state: 'rejected',
      outcome: {
        outcome: 'failed',
        errorCode: 'media_unfit',
        error: 'The video is too short.',
        retryable: false,
        attempts: 1,
        latenessMs: Date.parse(row.called_at!) - Date.parse(row.due_at),
      },
    })
    expect(await takeReports(world.pool, 10, 5)).toMatchObject([{ outcome: row.outcome }])
    expect(world.calls.commit).toHaveLength(1)
  })

  test('goes on while the channel cannot be used', async () => {
    await using world = await publishingWorld()
    await unknown(world)
    world.script.access = () => Promise.reject(new AppError('reauth_required', 'Dead.'))
    expect(await lookUpOnce(world)).toMatchObject({ state: 'unknown', checks: 1 })
    expect(world.calls.lookUp).toEqual([])
  })

  test('ends at the deadline with a last look', async () => {
    await using world = await publishingWorld()
    await unknown(world)
    await letPass(world, '59 minutes')
    expect(await lookUpOnce(world)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'unconfirmed', retryable: false },
    })
    expect(world.calls.lookUp).toHaveLength(1)
  })

  test('changes nothing when another worker has taken over and found the post', async () => {
    await using world = await publishingWorld()
    await unknown(world)
    await comeDue(world)
    const slow = await take(world, 'unknown')
    world.script.lookUp = () => ({ found: LIVE })
    await world.pool.query('update attempts set lease_until = null')
    const found = await lookUpOnce(world)
    world.script.lookUp = () => ({ absent: true })
    await reconcile(world.deps, slow)
    expect(await rowOf(world, slow)).toEqual(found)
  })
})

test('an attempt of unknown outcome is never called, whatever is done with it', async () => {
  await using world = await publishingWorld()
  const attempt = await unknown(world)
  const { fence } = await rowOf(world, attempt)
  await world.pool.query(`update attempts set lease_until = clock_timestamp() + interval '1 hour'`)
  await publish(world.deps, { ...attempt, fence })
  expect(world.calls.commit).toHaveLength(1)
  expect((await rowOf(world, attempt)).state).toBe('unknown')
})
