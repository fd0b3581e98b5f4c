import { describe, expect, test } from 'vitest'
import type { Attempt } from '../src/attempt.ts'
import {
  addAttempts,
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
  comeDue,
  held,
  LEASE_SECONDS,
  loseLease,
  newAttempt,
  publisherWorld,
  PUBLISHED,
  REJECTED,
  rowOf,
  take,
  takeDue,
} from './world.ts'

describe('adding attempts', () => {
  test('twice adds them once', async () => {
    await using world = await publisherWorld()
    const [one, other] = [newAttempt(), newAttempt()]
    expect(await addAttempts(world.pool, [one])).toBe(1)
    const before = await rowOf(world, one)
    expect(await addAttempts(world.pool, [{ ...one, content: 'Changed' }, other])).toBe(1)
    expect(await rowOf(world, one)).toEqual(before)
  })

  test('gives each until the deadline, counted from the due time', async () => {
    await using world = await publisherWorld()
    const attempt = newAttempt({ due_at: '2026-01-01T12:00:00.000Z', within_minutes: 58 })
    await addAttempts(world.pool, [attempt])
    expect(await rowOf(world, attempt)).toMatchObject({
      state: 'claimed',
      due_at: '2026-01-01T12:00:00.000Z',
      deadline_at: '2026-01-01T12:58:00.000Z',
      fence: 0,
      tries: 0,
      checks: 0,
      outcome: null,
      next_report_at: null,
    })
  })
})

describe('taking attempts', () => {
  test('by several workers never gives one row to two', async () => {
    await using world = await publisherWorld(20)
    const attempts = Array.from({ length: 200 }, () => newAttempt())
    await addAttempts(world.pool, attempts)
    const work = async () => {
      const mine: Attempt[] = []
      for (;;) {
        const taken = await takeDue(world.pool, 'claimed', 7, LEASE_SECONDS)
        mine.push(...taken)
        const { rowCount } = await world.pool.query('select from attempts where fence = 0')
        if (rowCount === 0) return mine
      }
    }
    const taken = (await Promise.all([work(), work(), work()])).flat()
    expect(taken.map(({ post_id }) => post_id).toSorted()).toEqual(
      attempts.map(({ post_id }) => post_id).toSorted(),
    )
    expect(taken.every(({ fence }) => fence === 1)).toBe(true)
  })

  test('leaves alone what is held, put off, being called or ended', async () => {
    await using world = await publisherWorld()
    const { pool } = world
    const none = async () => {
      expect(await takeDue(pool, 'claimed', 10, LEASE_SECONDS)).toEqual([])
      expect(await takeDue(pool, 'unknown', 10, LEASE_SECONDS)).toEqual([])
    }
    const attempt = await held(world)
    await none()
    await postpone(pool, attempt, { delayMs: 60_000 })
    await none()
    await comeDue(world)
    const again = await take(world, 'claimed')
    await call(world, again)
    await none()
    await reject(pool, again, REJECTED)
    await none()
  })

  test('of another worker comes once its lease has run out, with a higher fence', async () => {
    await using world = await publisherWorld()
    const first = await held(world)
    await loseLease(world)
    const second = await take(world, 'claimed')
    expect(second).toEqual({ ...first, fence: first.fence + 1 })
  })

  test('brings the step that preparing had come to', async () => {
    await using world = await publisherWorld()
    await saveStep(world.pool, await held(world), { container: '9' }, true)
    await loseLease(world)
    expect((await take(world, 'claimed')).step).toEqual({ container: '9' })
  })
})

describe('the life of an attempt', () => {
  test('claimed → calling: the call is noted with its time, and a try is counted', async () => {
    await using world = await publisherWorld()
    const attempt = await held(world)
    const calledAt = await call(world, attempt)
    expect(await rowOf(world, attempt)).toMatchObject({
      state: 'calling',
      called_at: calledAt,
      tries: 1,
    })
    // The note allows ONE call.
    expect(await call(world, attempt)).toBeUndefined()
  })

  test('calling → published, rejected', async () => {
    await using world = await publisherWorld()
    const one = await calling(world)
    expect(await recordPublished(world.pool, one, PUBLISHED)).toBe(true)
    expect(await rowOf(world, one)).toMatchObject({
      state: 'published',
      outcome: PUBLISHED,
      lease_until: null,
    })
    const other = await calling(world)
    expect(await reject(world.pool, other, REJECTED)).toBe(true)
    expect(await rowOf(world, other)).toMatchObject({
      state: 'rejected',
      outcome: REJECTED,
      lease_until: null,
    })
    expect(await takeReports(world.pool, 10, 5)).toHaveLength(2)
  })

  test('claimed → rejected, before any call', async () => {
    await using world = await publisherWorld()
    const attempt = await held(world)
    expect(await reject(world.pool, attempt, REJECTED)).toBe(true)
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'rejected', tries: 0 })
  })

  test('calling → claimed, when the call certainly did nothing', async () => {
    await using world = await publisherWorld()
    const attempt = await calling(world)
    const postponed = await postpone(world.pool, attempt, { delayMs: 60_000 })
    const row = await rowOf(world, attempt)
    expect(row).toMatchObject({ state: 'claimed', tries: 1, lease_until: null })
    expect(postponed).toEqual({ nextAttemptAt: row.next_attempt_at, tries: 1 })
    expect(Date.parse(row.next_attempt_at)).toBeGreaterThan(Date.parse(row.called_at!))
  })

  test('claimed → claimed, put off before a call, which counts as a try', async () => {
    await using world = await publisherWorld()
    const attempt = await held(world)
    expect(await postpone(world.pool, attempt, { delayMs: 60_000 })).toMatchObject({ tries: 1 })
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'claimed', called_at: null })
  })

  test('calling → unknown → published', async () => {
    await using world = await publisherWorld()
    const attempt = await unknown(world)
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'unknown', checks: 0 })
    expect(await recordPublished(world.pool, attempt, PUBLISHED)).toBe(true)
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'published', outcome: PUBLISHED })
  })

  test('calling → unknown → rejected', async () => {
    await using world = await publisherWorld()
    const attempt = await unknown(world)
    expect(await reject(world.pool, attempt, REJECTED)).toBe(true)
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'rejected', outcome: REJECTED })
  })

  test('unknown never goes back: it is neither called again nor put off', async () => {
    await using world = await publisherWorld()
    const attempt = await unknown(world)
    expect(await call(world, attempt)).toBeUndefined()
    expect(await postpone(world.pool, attempt, { delayMs: 0 })).toBeUndefined()
    expect(await takeDue(world.pool, 'claimed', 10, LEASE_SECONDS)).toEqual([])
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'unknown', tries: 1 })
  })

  test('an end stays: nothing but a success changes it', async () => {
    await using world = await publisherWorld()
    const { pool } = world
    for (const end of ['published', 'rejected'] as const) {
      const attempt = await calling(world)
      if (end === 'published') await recordPublished(pool, attempt, PUBLISHED)
      else await reject(pool, attempt, REJECTED)
      const before = await rowOf(world, attempt)
      expect(await call(world, attempt)).toBeUndefined()
      expect(await postpone(pool, attempt, { delayMs: 0 })).toBeUndefined()
      expect(await reject(pool, attempt, { ...REJECTED, error: 'Other.' })).toBe(false)
      expect(await scheduleCheck(pool, attempt, 0)).toBe(false)
      expect(await extendLease(pool, attempt, LEASE_SECONDS)).toBe(false)
      await markUnknown(pool, attempt, 0)
      await saveStep(pool, attempt, { late: true }, true)
      expect(await rowOf(world, attempt)).toEqual(before)
    }
  })
})
