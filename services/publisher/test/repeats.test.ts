import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../src/attempt.ts'
import { addAttempts, markUnknown, recordPublished, reject } from '../src/attempts.ts'
import { publish } from '../src/publish.ts'
import { takeReports } from '../src/reports.ts'
import { call, calling } from './attempt-states.ts'
import { publishingWorld, type PublishingWorld } from './publishing-world.ts'
import {
  comeDue,
  held,
  LEASE_SECONDS,
  LIVE,
  newAttempt,
  PUBLISHED,
  publisherWorld,
  REJECTED,
  rowOf,
  take,
  type World,
  takeDue,
} from './world.ts'

const UNCONFIRMED = { ...REJECTED, errorCode: 'unconfirmed' }

/** The attempt of a later start of the same post on the same channel, taken by a worker. */
async function repeated(world: World, earlier: Attempt, generation = 7): Promise<Attempt> {
  const { post_id, channel_id, organization_id } = earlier
  return held(world, { post_id, channel_id, organization_id, generation })
}

/** An attempt that was called and has ended like this. */
async function endedAs(world: World, outcome: typeof REJECTED): Promise<Attempt> {
  const attempt = await calling(world)
  expect(await reject(world.pool, attempt, outcome)).toBe(true)
  return attempt
}

const reportedOf = async ({ pool }: World) =>
  (await takeReports(pool, 10, 600)).map(({ generation, outcome }) => [generation, outcome])

describe('an attempt that repeats an earlier one', () => {
  test('is known to the platform by the key and the time of the first, however often it is repeated', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({ outcome: 'permanent', errorCode: 'no', message: 'No.' })
    const first = await held(world)
    await publish(world.deps, first)
    for (const generation of [7, 12, 17])
      await publish(world.deps, await repeated(world, first, generation))
    const keys = world.calls.commit.map(({ idempotencyKey, rkeyTime }) => [
      idempotencyKey,
      rkeyTime,
    ])
    const key = `${first.post_id}.${first.channel_id}.2`
    expect(keys).toEqual(Array(4).fill([key, Date.parse(first.created_at)]))
    const times = world.calls.commit.map(({ createdAt }) => createdAt)
    expect(new Set(times).size).toBe(4)
  })

  test('keeps the key when the first has been forgotten', async () => {
    await using world = await publishingWorld()
    const first = await endedAs(world, REJECTED)
    const second = await repeated(world, first)
    await world.pool.query('delete from attempts where generation = 2')
    await reject(world.pool, second, REJECTED)
    const third = await repeated(world, first, 12)
    expect(third).toMatchObject({ first_generation: 2, first_created_at: first.created_at })
  })

  test('begins anew: steps, tries and the deadline are its own', async () => {
    await using world = await publishingWorld()
    const first = await endedAs(world, REJECTED)
    const second = await repeated(world, first)
    expect(second).toMatchObject({ tries: 0, checks: 0, step: null, is_prepared: false })
    expect(Date.parse(second.deadline_at)).toBeGreaterThan(Date.parse(first.deadline_at))
  })

  test('is called when the earlier one certainly failed, without looking it up', async () => {
    await using world = await publishingWorld()
    world.script.commit = () => ({ outcome: 'published', ...LIVE })
    const second = await repeated(world, await endedAs(world, REJECTED))
    await publish(world.deps, second)
    expect([world.calls.lookUp.length, world.calls.commit.length]).toEqual([0, 1])
    expect((await rowOf(world, second)).state).toBe('published')
  })
})

describe('is never called when the post is live already', () => {
  async function expectSettled(world: PublishingWorld, first: Attempt, second: Attempt) {
    expect(world.calls.commit).toEqual([])
    const rows = [await rowOf(world, first), await rowOf(world, second)]
    expect(rows.map(({ state }) => state)).toEqual(['published', 'published'])
    expect(rows[0]?.outcome).toEqual(rows[1]?.outcome)
  }

  test('because the earlier one was a success after all: it ends the same way', async () => {
    await using world = await publishingWorld()
    const first = await endedAs(world, UNCONFIRMED)
    const second = await repeated(world, first)
    await recordPublished(world.pool, first, PUBLISHED)
    await publish(world.deps, second)
    await expectSettled(world, first, second)
    expect(await reportedOf(world)).toEqual(
      expect.arrayContaining([
        [2, PUBLISHED],
        [7, PUBLISHED],
      ]),
    )
  })

  test('because a last look finds what stayed unconfirmed', async () => {
    await using world = await publishingWorld()
    const first = await endedAs(world, UNCONFIRMED)
    const second = await repeated(world, first)
    world.script.lookUp = () => ({ found: LIVE })
    await publish(world.deps, second)
    expect(world.calls.lookUp).toMatchObject([{ calledAt: (await rowOf(world, first)).called_at }])
    await expectSettled(world, first, second)
    expect((await rowOf(world, first)).outcome).toMatchObject({ ...LIVE, outcome: 'published' })
  })

  test('although the success is learned between the look and the call', async () => {
    await using world = await publishingWorld()
    const first = await endedAs(world, UNCONFIRMED)
    const second = await repeated(world, first)
    world.script.prepare = async () => {
      await recordPublished(world.pool, first, PUBLISHED)
      return { outcome: 'ready', step: {} }
    }
    await publish(world.deps, second)
    expect(world.calls.commit).toEqual([])
    expect((await rowOf(world, second)).state).toBe('claimed')
    await world.pool.query('update attempts set lease_until = null')
    await publish(world.deps, await take(world, 'claimed'))
    await expectSettled(world, first, second)
  })
})

describe('with the word of a person', () => {
  test.for([[{ absent: true }], [{ cannotTell: 'No answer.' }]] as const)(
    'is called when the look at what stayed unconfirmed says %o',
    async ([looked]) => {
      await using world = await publishingWorld()
      world.script.lookUp = () => looked
      world.script.commit = () => ({ outcome: 'published', ...LIVE })
      const second = await repeated(world, await endedAs(world, UNCONFIRMED))
      await publish(world.deps, second)
      expect([world.calls.lookUp.length, world.calls.commit.length]).toEqual([1, 1])
    },
  )

  test('waits while the call of the earlier one is under way or being looked up', async () => {
    await using world = await publishingWorld()
    const first = await calling(world)
    const second = await repeated(world, first)
    await publish(world.deps, second)
    await markUnknown(world.pool, first, 600)
    await comeDue(world)
    await publish(world.deps, await take(world, 'claimed'))
    expect([world.calls.commit, world.calls.lookUp]).toEqual([[], []])
    expect(await rowOf(world, second)).toMatchObject({ state: 'claimed', tries: 2 })
    expect(world.calls.results).toMatchObject([
      { outcome: 'delayed', errorCode: 'unavailable', attempts: 1 },
      { outcome: 'delayed', errorCode: 'unavailable', attempts: 2 },
    ])
  })
})

describe('no call is begun', () => {
  test.for(['calling', 'unknown', 'published'] as const)(
    'while an earlier attempt is %s',
    async (state) => {
      await using world = await publisherWorld()
      const first = await calling(world)
      const second = await repeated(world, first)
      if (state === 'unknown') await markUnknown(world.pool, first, 600)
      if (state === 'published') await recordPublished(world.pool, first, PUBLISHED)
      expect((await rowOf(world, first)).state).toBe(state)
      expect(await call(world, second)).toBeUndefined()
      expect(await rowOf(world, second)).toMatchObject({ state: 'claimed', tries: 0 })
    },
  )

  test('for an attempt whose place a later one has taken', async () => {
    await using world = await publisherWorld()
    const first = await held(world)
    const second = await repeated(world, first)
    expect(await call(world, first)).toBeUndefined()
    expect(await call(world, second)).toBeDefined()
  })

  test('because of another channel or another post', async () => {
    await using world = await publisherWorld()
    const first = await held(world)
    const { post_id, channel_id } = first
    await held(world, { post_id, generation: 7 })
    await held(world, { channel_id, generation: 7 })
    expect(await call(world, first)).toBeDefined()
  })

  test('twice, when an attempt and the one that takes its place meet, 200 times', async () => {
    await using world = await publisherWorld(20)
    for (let run = 0; run < 200; run++) {
      const first = await held(world)
      const { post_id, channel_id } = first
      const delayed = async <T>(turns: number, work: () => Promise<T>) => {
        for (let left = turns; left > 0; left--) await turn()
        return work()
      }
      const [begun, begunAgain] = await Promise.all([
        delayed(run % 7, () => call(world, first)),
        delayed(run % 5, async () => {
          await addAttempts(world.pool, [newAttempt({ post_id, channel_id, generation: 7 })])
          for (;;) {
            // A row that is being looked at by the other is passed by, and comes again.
            const [second] = await takeDue(world.pool, 'claimed', 1, LEASE_SECONDS)
            if (second) return call(world, second)
          }
        }),
      ])
      expect([begun, begunAgain].filter((at) => at !== undefined)).toHaveLength(1)
      await world.pool.query('delete from attempts')
    }
  })
})
