import { newId } from '@herald/contracts/ids'
import type { CommitOutcome } from '@herald/platforms/platform'
import { describe, expect, test } from 'vitest'
import { createGate } from '../src/gate.ts'
import { publish } from '../src/publish.ts'
import { publishingWorld } from './publishing-world.ts'
import { accessTo, type AttemptRow, comeDue, held, LIVE, rowOf, take } from './world.ts'

/** A publisher whose gate goes by a clock of its own. */
async function gateWorld() {
  const world = await publishingWorld()
  const clock = { offsetMs: 0 }
  world.deps.gate = createGate({ logger: world.logger, now: () => Date.now() + clock.offsetMs })
  const publishOn = async (channel_id = newId('channel'), within_minutes = 58) => {
    const attempt = await held(world, { channel_id, within_minutes })
    await publish(world.deps, attempt)
    return rowOf(world, attempt)
  }
  return {
    ...world,
    clock,
    publishOn,
    /** The platform fails for several accounts until calls pause. */
    trip: async () => {
      for (let failures = 0; failures < 5; failures++) await publishOn()
      // What failed is of no interest any more.
      await world.pool.query('delete from attempts')
      world.calls.commit.length = 0
      world.calls.results.length = 0
    },
  }
}

const FAILS: CommitOutcome = { outcome: 'transient', message: 'Not reached.' }
const WORKS: CommitOutcome = { outcome: 'published', ...LIVE }

const aheadMs = (at: string) => Date.parse(at) - Date.now()

describe('a rate limit', () => {
  const retryInMs =
    (ms: number, change: object = {}) =>
    () =>
      ({
        outcome: 'rate_limited',
        retryAt: Date.now() + ms,
        message: 'Slow down.',
        ...change,
      }) as const

  test('holds back the other posts of the account until then, told as a delay, and counts no try', async () => {
    await using world = await gateWorld()
    world.script.commit = retryInMs(600_000)
    const limited = await world.publishOn('chan_a')
    const other = await world.publishOn('chan_a')
    expect(world.calls.commit).toHaveLength(1)
    expect(limited).toMatchObject({ state: 'claimed', tries: 1, held_by: null })
    expect(other).toMatchObject({ state: 'claimed', tries: 0, held_by: 'chan_a' })
    expect(aheadMs(other.next_attempt_at)).toBeGreaterThan(590_000)
    expect(aheadMs(other.next_attempt_at)).toBeLessThan(602_000)
    expect(world.calls.results[1]).toEqual({
      outcome: 'delayed',
      errorCode: 'rate_limited',
      error: 'Slow down.',
      attempts: 0,
      nextAttemptAt: other.next_attempt_at,
    })
  })

  test('holds back nobody else, unless it is one of the app', async () => {
    await using world = await gateWorld()
    world.script.commit = retryInMs(600_000)
    await world.publishOn('chan_a')
    world.script.commit = () => WORKS
    expect(await world.publishOn('chan_b')).toMatchObject({ state: 'published' })
    world.script.commit = retryInMs(600_000, { isOfApp: true })
    await world.publishOn('chan_c')
    expect(await world.publishOn('chan_d')).toMatchObject({
      state: 'claimed',
      held_by: 'MASTODON https://social.example',
    })
    world.script.access = (id) => ({ ...accessTo(id), baseUrl: 'https://other.example' })
    world.script.commit = () => WORKS
    expect(await world.publishOn('chan_e')).toMatchObject({ state: 'published' })
  })

  test('without a moment holds back for as long as the post itself waits', async () => {
    await using world = await gateWorld()
    world.script.commit = () => ({ outcome: 'rate_limited', retryAt: null, message: 'Slow down.' })
    const limited = await world.publishOn('chan_a')
    const other = await world.publishOn('chan_a')
    expect(world.calls.commit).toHaveLength(1)
    expect(aheadMs(other.next_attempt_at)).toBeLessThan(aheadMs(limited.next_attempt_at) + 1_000)
  })

  test('is over when its time has come', async () => {
    await using world = await gateWorld()
    world.script.commit = retryInMs(600_000)
    await world.publishOn('chan_a')
    world.clock.offsetMs = 600_001
    world.script.commit = () => WORKS
    expect(await world.publishOn('chan_a')).toMatchObject({ state: 'published' })
  })

  test('that outlasts the time of a held post ends it with the reason', async () => {
    await using world = await gateWorld()
    world.script.commit = retryInMs(600_000)
    await world.publishOn('chan_a')
    expect(await world.publishOn('chan_a', 8)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'rate_limited', error: 'Slow down.', retryable: true, attempts: 0 },
    })
  })
})

describe('a platform that keeps failing', () => {
  test('is not called for a while: posts wait, told as a delay, and no try is counted', async () => {
    await using world = await gateWorld()
    world.script.commit = () => FAILS
    await world.trip()
    const row = await world.publishOn()
    expect(world.calls.commit).toEqual([])
    expect(row).toMatchObject({
      state: 'claimed',
      tries: 0,
      called_at: null,
      held_by: 'MASTODON https://social.example',
    })
    expect(aheadMs(row.next_attempt_at)).toBeLessThan(6_000)
    expect(world.calls.results).toEqual([
      {
        outcome: 'delayed',
        errorCode: 'platform_down',
        error: 'The platform does not answer right now. Herald goes on as soon as it does.',
        attempts: 0,
        nextAttemptAt: row.next_attempt_at,
      },
    ])
  })

  test.for([
    ['unknown', { outcome: 'unknown', message: 'No answer.' }, true],
    ['transient', FAILS, true],
    [
      'unknown while it works on the posts',
      { outcome: 'unknown', message: 'Soon.', isWorking: true },
      false,
    ],
    ['transient because of a file of ours', { ...FAILS, isOwnFault: true }, false],
    ['permanent', { outcome: 'permanent', errorCode: 'no', message: 'No.' }, false],
    ['rate_limited', { outcome: 'rate_limited', retryAt: null, message: 'Slow.' }, false],
  ] satisfies [string, CommitOutcome, boolean][])(
    'fails when its answers are %s: %3$s',
    async ([, outcome, isFailure]) => {
      await using world = await gateWorld()
      world.script.commit = () => outcome
      await world.trip()
      await world.publishOn()
      expect(world.calls.commit).toHaveLength(isFailure ? 0 : 1)
    },
  )

  test('also in the steps before the call', async () => {
    await using world = await gateWorld()
    world.script.prepare = () => ({ outcome: 'transient', message: 'Not reached.' })
    await world.trip()
    expect(await world.publishOn()).toMatchObject({ tries: 0, state: 'claimed' })
    expect(world.calls.prepare).toHaveLength(5)
  })

  test('for one account only stops that account and no other', async () => {
    await using world = await gateWorld()
    world.script.commit = () => FAILS
    for (let failures = 0; failures < 5; failures++) await world.publishOn('chan_a')
    expect(await world.publishOn('chan_a')).toMatchObject({ tries: 0, held_by: 'chan_a' })
    world.script.commit = () => WORKS
    expect(await world.publishOn('chan_b')).toMatchObject({ state: 'published' })
  })

  test('on one server does not stop another server of it', async () => {
    await using world = await gateWorld()
    world.script.commit = () => FAILS
    await world.trip()
    world.script.access = (id) => ({ ...accessTo(id), baseUrl: 'https://other.example' })
    world.script.commit = () => WORKS
    expect(await world.publishOn()).toMatchObject({ state: 'published' })
  })

  test('is probed by one post at a time, and when that works all go on at once', async () => {
    await using world = await gateWorld()
    world.script.commit = () => FAILS
    await world.trip()
    world.clock.offsetMs = 5_001
    const waiting: AttemptRow[] = []
    world.script.commit = async () => {
      for (let more = 0; more < 3; more++) waiting.push(await world.publishOn())
      return WORKS
    }
    expect(await world.publishOn()).toMatchObject({ state: 'published' })
    expect(world.calls.commit).toHaveLength(1)
    expect(waiting).toHaveLength(3)
    for (const row of waiting) {
      expect(aheadMs(row.next_attempt_at)).toBeGreaterThan(5_000)
      const now = await rowOf(world, row)
      expect(now.held_by).toBeNull()
      expect(aheadMs(now.next_attempt_at)).toBeLessThan(1_000)
    }
    await world.pool.query('delete from attempts')
    world.script.commit = () => WORKS
    expect(await world.publishOn()).toMatchObject({ state: 'published' })
  })

  test('is left alone for longer when the probe fails; a probe that comes to nothing is followed by another', async () => {
    await using world = await gateWorld()
    world.script.commit = () => FAILS
    await world.trip()
    world.clock.offsetMs = 5_001
    await world.publishOn()
    expect(world.calls.commit).toHaveLength(1)
    world.clock.offsetMs += 5_001
    await world.publishOn()
    expect(world.calls.commit).toHaveLength(1)
    world.clock.offsetMs += 5_001
    world.script.prepare = () => Promise.reject(new Error('a bug'))
    await world.publishOn()
    expect(world.calls.commit).toHaveLength(1)
    world.script.prepare = () => ({ outcome: 'ready', step: {} })
    await world.publishOn()
    expect(world.calls.commit).toHaveLength(2)
  })

  test('is not waited for beyond the time of a post, which then ends with the reason', async () => {
    await using world = await gateWorld()
    world.script.commit = () => FAILS
    await world.trip()
    const attempt = await held(world)
    await world.pool.query(
      `update attempts set deadline_at = clock_timestamp() + interval '2 seconds'`,
    )
    await publish(world.deps, attempt)
    expect(await rowOf(world, attempt)).toMatchObject({
      state: 'rejected',
      outcome: { errorCode: 'platform_down', retryable: true, attempts: 0 },
    })
  })

  test('leaves what was called before to be looked up', async () => {
    await using world = await gateWorld()
    world.script.commit = () => ({ outcome: 'unknown', message: 'No answer.' })
    const called = await world.publishOn()
    expect(called.state).toBe('unknown')
    for (let failures = 0; failures < 5; failures++) await world.publishOn()
    expect(await rowOf(world, called)).toMatchObject({ state: 'unknown', held_by: null })
  })
})

test('an attempt that waited is taken and published when its time has come', async () => {
  await using world = await gateWorld()
  world.script.commit = () => FAILS
  await world.trip()
  const row = await world.publishOn()
  world.clock.offsetMs = 5_001
  world.script.commit = () => WORKS
  await comeDue(world)
  await publish(world.deps, await take(world, 'claimed'))
  expect(await rowOf(world, row)).toMatchObject({ state: 'published', tries: 1 })
})
