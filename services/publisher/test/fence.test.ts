import { describe, expect, test } from 'vitest'
import {
  expireCalls,
  extendLease,
  markUnknown,
  postpone,
  recordPublished,
  reject,
  saveStep,
  scheduleCheck,
} from '../src/attempts.ts'
import { takeReports } from '../src/reports.ts'
import { call, calling, unknown } from './attempt-states.ts'
import {
  held,
  LEASE_SECONDS,
  letPass,
  loseLease,
  publisherWorld,
  PUBLISHED,
  REJECTED,
  rowOf,
  take,
  takeDue,
} from './world.ts'

describe('the fence', () => {
  test('a worker whose claim was taken over can do nothing with the attempt', async () => {
    await using world = await publisherWorld()
    const { pool } = world
    const lost = await held(world)
    await loseLease(world)
    const current = await take(world, 'claimed')
    const before = await rowOf(world, current)
    expect(await call(world, lost)).toBeUndefined()
    expect(await extendLease(pool, lost, LEASE_SECONDS)).toBe(false)
    expect(await postpone(pool, lost, { delayMs: 0 })).toBeUndefined()
    expect(await reject(pool, lost, REJECTED)).toBe(false)
    await saveStep(pool, lost, { late: true }, true)
    expect(await rowOf(world, current)).toEqual(before)
    expect(await call(world, current)).toBeDefined()
    const begun = await rowOf(world, current)
    await markUnknown(pool, lost, 0)
    expect(await reject(pool, lost, REJECTED)).toBe(false)
    expect(await postpone(pool, lost, { delayMs: 0 })).toBeUndefined()
    expect(await rowOf(world, current)).toEqual(begun)
  })

  test('a worker whose lease ran out begins no call, also when nobody else has taken over', async () => {
    await using world = await publisherWorld()
    const attempt = await held(world)
    await loseLease(world)
    expect(await call(world, attempt)).toBeUndefined()
    expect(await extendLease(world.pool, attempt, LEASE_SECONDS)).toBe(false)
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'claimed', tries: 0 })
  })

  test('a worker with a lease holds it for longer', async () => {
    await using world = await publisherWorld()
    const attempt = await held(world)
    const before = await rowOf(world, attempt)
    expect(await extendLease(world.pool, attempt, 600)).toBe(true)
    const after = await rowOf(world, attempt)
    expect(Date.parse(after.lease_until!)).toBeGreaterThan(Date.parse(before.lease_until!))
  })
})

describe('a call whose worker was lost', () => {
  test('becomes unknown when its lease has run out, and its worker can no longer end it', async () => {
    await using world = await publisherWorld()
    const { pool } = world
    const attempt = await calling(world)
    expect(await expireCalls(pool, 60)).toEqual([])
    await loseLease(world)
    expect(await takeDue(pool, 'claimed', 10, LEASE_SECONDS)).toEqual([])
    expect(await expireCalls(pool, 60)).toHaveLength(1)
    const row = await rowOf(world, attempt)
    expect(row).toMatchObject({ state: 'unknown', lease_until: null, fence: attempt.fence + 1 })
    expect(await takeDue(pool, 'unknown', 10, LEASE_SECONDS)).toEqual([])
    expect(await reject(pool, attempt, REJECTED)).toBe(false)
    expect(await postpone(pool, attempt, { delayMs: 0 })).toBeUndefined()
    expect(await rowOf(world, attempt)).toEqual(row)
  })

  test.for(['unknown', 'rejected'] as const)(
    'that succeeded after all wins over %s, and is reported again',
    async (state) => {
      await using world = await publisherWorld()
      const { pool } = world
      const late = await calling(world)
      await loseLease(world)
      await expireCalls(pool, 0)
      const looking = await take(world, 'unknown')
      if (state === 'rejected') {
        await reject(pool, looking, REJECTED)
        expect(await takeReports(pool, 10, 600)).toMatchObject([{ outcome: REJECTED }])
      }
      expect((await rowOf(world, late)).state).toBe(state)
      expect(await recordPublished(pool, late, PUBLISHED)).toBe(true)
      expect(await rowOf(world, late)).toMatchObject({ state: 'published', outcome: PUBLISHED })
      expect(await takeReports(pool, 10, 600)).toMatchObject([{ outcome: PUBLISHED }])
      expect(await reject(pool, looking, REJECTED)).toBe(false)
      expect(await recordPublished(pool, late, { ...PUBLISHED, attempts: 9 })).toBe(false)
      expect(await rowOf(world, late)).toMatchObject({ state: 'published', outcome: PUBLISHED })
    },
  )
})

describe('the deadline', () => {
  test('refuses a call when it has passed', async () => {
    await using world = await publisherWorld()
    const attempt = await held(world)
    await world.pool.query('update attempts set deadline_at = clock_timestamp()')
    expect(await call(world, attempt)).toBeUndefined()
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'claimed', tries: 0 })
  })

  test('is the last moment for a look-up', async () => {
    await using world = await publisherWorld()
    const attempt = await unknown(world)
    expect(await scheduleCheck(world.pool, attempt, 86_400)).toBe(true)
    const row = await rowOf(world, attempt)
    expect(row).toMatchObject({ checks: 1, next_attempt_at: row.deadline_at, lease_until: null })
    await letPass(world, '59 minutes')
    const last = await take(world, 'unknown')
    expect(await scheduleCheck(world.pool, last, 86_400)).toBe(false)
  })
})

test('look-ups are counted from the call, not from the look-up before', async () => {
  await using world = await publisherWorld()
  const attempt = await unknown(world)
  expect(await scheduleCheck(world.pool, attempt, 30)).toBe(true)
  const row = await rowOf(world, attempt)
  expect(Date.parse(row.next_attempt_at) - Date.parse(row.called_at!)).toBe(30_000)
})
