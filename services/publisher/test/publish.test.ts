import { unavailable } from '@herald/contracts/errors'
import type { CommitOutcome } from '@herald/platforms/platform'
import { describe, expect, test } from 'vitest'
import { publish } from '../src/publish.ts'
import { takeReports } from '../src/reports.ts'
import { publishingWorld, publishOne, type PublishingWorld } from './publishing-world.ts'
import { comeDue, held, LEASE_SECONDS, LIVE, rowOf, take, takeDue } from './world.ts'

const reports = ({ pool }: PublishingWorld) => takeReports(pool, 10, 600)

function afterMs(from: string | null, to: string): number {
  return Date.parse(to) - Date.parse(from ?? '')
}

describe('the call', () => {
  test('that made the post live is a success, with how late it was', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({ outcome: 'published', ...LIVE })
    const row = await publishOne(world)
    expect(row).toMatchObject({
      state: 'published',
      tries: 1,
      step: { prepared: true },
      outcome: {
        outcome: 'published',
        ...LIVE,
        attempts: 1,
        latenessMs: afterMs(row.due_at, row.called_at!),
      },
    })
    expect(await reports(world)).toMatchObject([{ post_id: row.post_id, outcome: row.outcome }])
  })

  test('says the same in every try: key, texts and times are those of the attempt', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({ outcome: 'transient', message: 'Not reached.' })
    const attempt = await held(world, { content: 'Text', options: { sensitive: true } })
    await publish(world.deps, attempt)
    await comeDue(world)
    await publish(world.deps, await take(world, 'claimed'))
    const [first, second] = world.calls.commit.map(({ signal: _signal, ...said }) => said)
    expect(first).toEqual({
      baseUrl: 'https://social.example',
      token: 'token-1',
      account: '1',
      username: 'someone',
      settings: {},
      limits: {},
      idempotencyKey: `${attempt.post_id}.${attempt.channel_id}.2`,
      rkeyTime: Date.parse(attempt.created_at),
      createdAt: attempt.created_at,
      text: 'Text',
      options: { sensitive: true },
      media: [],
      step: { prepared: true },
    })
    expect(second).toEqual(first)
    expect(world.calls.prepare).toHaveLength(1)
  })

  test('that sends files has its time for them on top, and the attempt is held for as long', async () => {
    await using world = await publishingWorld()
    world.script.commitTimeMs = 240_000
    const attempt = await held(world)
    let heldMs = 0
    world.script.commit = async () => {
      const { called_at, lease_until } = await rowOf(world, attempt)
      heldMs = afterMs(called_at, lease_until ?? '')
      return { outcome: 'published', ...LIVE }
    }
    await publish(world.deps, attempt)
    expect(heldMs).toBe(LEASE_SECONDS * 1000 + 240_000)
  })

  test('of unknown outcome is looked up by what it has brought', async () => {
    await using world = await publishingWorld()
    const step = { prepared: true, id: '7' }
    world.script.commit = () => ({ outcome: 'unknown', message: 'At work.', step })
    expect(await publishOne(world)).toMatchObject({ state: 'unknown', step })
  })

  test('is noted in the database before it is made', async () => {
    await using world = await publishingWorld()
    const attempt = await held(world)
    const states: string[] = []
    world.script.commit = async () => {
      states.push((await rowOf(world, attempt)).state)
      return { outcome: 'published', ...LIVE }
    }
    await publish(world.deps, attempt)
    expect(states).toEqual(['calling'])
  })

  test('that the platform refused ends the attempt with its reason', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({
      outcome: 'permanent',
      errorCode: 'rejected',
      message: 'Too long.',
    })
    const row = await publishOne(world)
    expect(row).toMatchObject({
      state: 'rejected',
      outcome: {
        outcome: 'failed',
        errorCode: 'rejected',
        error: 'Too long.',
        retryable: false,
        attempts: 1,
        latenessMs: afterMs(row.due_at, row.called_at!),
      },
    })
    expect(await reports(world)).toMatchObject([{ outcome: row.outcome }])
  })

  test.for([
    ['an unknown outcome', () => ({ outcome: 'unknown', message: 'No answer.' }) as const],
    [
      'an error of the connector',
      () => {
        throw new Error('a bug')
      },
    ],
    ['a rejected promise', () => Promise.reject(new Error('a bug'))],
  ] satisfies [string, () => CommitOutcome | Promise<CommitOutcome>][])(
    'with %s is never made again: it is looked up 5 seconds later',
    async ([, commit]) => {
      await using world = await publishingWorld()
      world.script.commit = commit
      const row = await publishOne(world)
      expect(row).toMatchObject({ state: 'unknown', tries: 1, checks: 0, outcome: null })
      expect(afterMs(row.called_at, row.next_attempt_at)).toBeGreaterThanOrEqual(5_000)
      await comeDue(world)
      expect(await takeDue(world.pool, 'claimed', 10, LEASE_SECONDS)).toEqual([])
      expect(world.calls.commit).toHaveLength(1)
      expect(await reports(world)).toEqual([])
    },
  )
})

describe('what certainly did not happen is tried again', () => {
  test('later each time, and the wait is told', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({ outcome: 'transient', message: 'Not reached.' })
    const attempt = await held(world)
    const waits: number[] = []
    for (let tries = 1; tries <= 3; tries++) {
      await publish(world.deps, tries === 1 ? attempt : await take(world, 'claimed'))
      const row = await rowOf(world, attempt)
      expect(row).toMatchObject({ state: 'claimed', tries })
      expect(world.calls.results.at(-1)).toEqual({
        outcome: 'delayed',
        errorCode: 'unreachable',
        error: 'Not reached.',
        attempts: tries,
        nextAttemptAt: row.next_attempt_at,
      })
      waits.push(afterMs(row.called_at, row.next_attempt_at))
      await comeDue(world)
    }
    // 10, 20 and 40 seconds, each with a quarter more or less.
    for (const [index, shortest] of [7_500, 15_000, 30_000].entries())
      expect(waits[index]).toBeGreaterThanOrEqual(shortest)
    expect(world.calls.commit).toHaveLength(3)
    expect(await reports(world)).toEqual([])
  })

  test('although the wait could not be told', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({ outcome: 'transient', message: 'Not reached.' })
    world.script.recordChannelResult = () => Promise.reject(unavailable())
    expect(await publishOne(world)).toMatchObject({ state: 'claimed', tries: 1 })
  })

  test('not before the moment the platform named', async () => {
    await using world = await publishingWorld()
    const retryAt = Date.now() + 600_000
    world.script.commit = () => ({ outcome: 'rate_limited', retryAt, message: 'Slow down.' })
    const row = await publishOne(world)
    expect(row.state).toBe('claimed')
    expect(Date.parse(row.next_attempt_at)).toBeGreaterThanOrEqual(retryAt)
    expect(world.calls.results).toMatchObject([{ outcome: 'delayed', errorCode: 'rate_limited' }])
  })

  test('but not past the deadline: then it has failed, and trying again could help', async () => {
    await using world = await publishingWorld()
    const retryAt = Date.now() + 58 * 60_000
    world.script.commit = () => ({ outcome: 'rate_limited', retryAt, message: 'Slow down.' })
    expect(await publishOne(world)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'rate_limited', error: 'Slow down.', retryable: true, attempts: 1 },
    })
    expect(world.calls.results).toEqual([])
  })
})
