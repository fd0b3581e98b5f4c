import { AppError, unavailable } from '@herald/contracts/errors'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../src/attempt.ts'
import { addAttempts } from '../src/attempts.ts'
import type { Deps } from '../src/deps.ts'
import { doubtAfterRestore, lostSince } from '../src/lost-calls.ts'
import { publish } from '../src/publish.ts'
import { reconcile } from '../src/reconcile.ts'
import { takeReports } from '../src/reports.ts'
import { call } from './attempt-states.ts'
import { type PublishingWorld, publishingWorld } from './publishing-world.ts'
import { comeDue, held, LIVE, newAttempt, PUBLISHED, rowOf, take } from './world.ts'

type StartedPost = Awaited<ReturnType<Deps['posts']['getForPublishing']>>

const SINCE = '2026-01-01T12:00:00.000Z'

/** An attempt from before this process, and what the posts service says of its post. */
async function fromBefore(change: Partial<StartedPost>, channel: object = {}) {
  const world = await publishingWorld()
  const attempt = await held(world)
  const deps: Deps = {
    ...world.deps,
    startedAt: new Date(Date.now() + 60_000).toISOString(),
    posts: {
      ...world.deps.posts,
      getForPublishing: async () => ({
        postId: attempt.post_id,
        organizationId: attempt.organization_id,
        status: 'publishing',
        dueAt: attempt.due_at,
        generation: attempt.generation,
        mayBeLiveSince: null,
        mediaIds: [],
        channels: [
          {
            channelId: attempt.channel_id,
            platform: 'MASTODON',
            status: 'publishing',
            content: 'Hello',
            options: {},
            live: null,
            ...channel,
          },
        ],
        ...change,
      }),
    },
  }
  return { world, attempt, deps }
}

describe('an attempt from before this process', () => {
  test.for([
    ['is called when the posts service waits for it', {}, {}, 'unknown', 1],
    ['is set aside when its channel has ended', {}, { status: 'published' }, 'rejected', 0],
    ['is set aside when its post has started again', { generation: 9 }, {}, 'rejected', 0],
    ['is looked up when its post may be live', { mayBeLiveSince: SINCE }, {}, 'unknown', 0],
    [
      'is live when its post is known to be',
      { mayBeLiveSince: SINCE },
      { live: LIVE },
      'published',
      0,
    ],
  ] satisfies [string, Partial<StartedPost>, object, string, number][])(
    '%s',
    async ([, post, channel, state, calls]) => {
      const { world, attempt, deps } = await fromBefore(post, channel)
      await using _world = world
      await publish(deps, attempt)
      expect(await rowOf(world, attempt)).toMatchObject({ state })
      expect(world.calls.commit).toHaveLength(calls)
    },
  )

  test.for([
    ['waits while the posts service is away', unavailable(), 'claimed'],
    ['is set aside when its post is gone', new AppError('not_found', 'None.'), 'rejected'],
  ] satisfies [string, AppError, string][])('%s', async ([, refusal, state]) => {
    const { world, attempt, deps } = await fromBefore({})
    await using _world = world
    const posts = { ...deps.posts, getForPublishing: () => Promise.reject(refusal) }
    await publish({ ...deps, posts }, attempt)
    expect(await rowOf(world, attempt)).toMatchObject({ state })
    expect(world.calls.commit).toEqual([])
  })
})

async function noteRestore({ pool }: PublishingWorld): Promise<void> {
  await pool.query(
    `insert into restores (since, until, evidence) values ('${SINCE}', clock_timestamp(), 'a test')`,
  )
}

describe('after a restore of the database', () => {
  test('what waited is looked up from the time on that was lost, and ends as unconfirmed when it is nowhere', async () => {
    await using world = await publishingWorld()
    const attempt = await held(world)
    await noteRestore(world)
    expect(await doubtAfterRestore(world.pool)).toBe(1)
    expect(await doubtAfterRestore(world.pool)).toBe(0)
    await publish(world.deps, attempt)
    for (let look = 0; look < 4; look++) {
      await comeDue(world)
      await reconcile(world.deps, await take(world, 'unknown'))
    }
    expect(world.calls.commit).toEqual([])
    expect(world.calls.lookUp).toHaveLength(4)
    expect(world.calls.lookUp[0]?.calledAt).toBe(attempt.created_at)
    expect(await rowOf(world, attempt)).toMatchObject({
      state: 'rejected',
      outcome: {
        errorCode: 'unconfirmed',
        error: expect.stringContaining('backup'),
        latenessMs: null,
      },
    })
  })

  test('what had been called stays as it is', async () => {
    await using world = await publishingWorld()
    const attempt = await held(world)
    await call(world, attempt)
    await noteRestore(world)
    expect(await doubtAfterRestore(world.pool)).toBe(0)
    expect(await rowOf(world, attempt)).toMatchObject({ state: 'calling', may_be_live_since: null })
  })

  test('a start that may have been called already is in doubt, and a later one is not', async () => {
    await using world = await publishingWorld()
    await noteRestore(world)
    const start = (time: string) =>
      lostSince(world.pool, { time } as Parameters<typeof lostSince>[1])
    expect(await start(SINCE)).toBe(SINCE)
    expect(await start(new Date(Date.now() + 60_000).toISOString())).toBe(null)
  })
})

test('a database that was made anew knows it once, and a new one has nothing to know', async () => {
  await using world = await publishingWorld()
  const restores = async () => (await world.pool.query('select from restores')).rowCount
  await doubtAfterRestore(world.pool)
  expect(await restores()).toBe(0)
  await world.pool.query('update database_identity set database = 1')
  await doubtAfterRestore(world.pool)
  await doubtAfterRestore(world.pool)
  expect(await restores()).toBe(1)
})

test('an attempt in doubt ends as another one of its post and channel that is live', async () => {
  await using world = await publishingWorld()
  const first: Attempt = await held(world)
  await world.pool.query(`update attempts set state = 'published', outcome = $1`, [PUBLISHED])
  const { post_id, channel_id } = first
  const again = newAttempt({ post_id, channel_id, generation: 1, may_be_live_since: SINCE })
  expect(await addAttempts(world.pool, [again])).toBe(1)
  expect(await rowOf(world, again)).toMatchObject({ state: 'published', outcome: PUBLISHED })
})

test('what has ended is told again when its start is asked for once more', async () => {
  await using world = await publishingWorld()
  const start = newAttempt()
  await addAttempts(world.pool, [start])
  await world.pool.query(`update attempts set state = 'published', outcome = $1`, [PUBLISHED])
  expect(await takeReports(world.pool, 10, 5)).toEqual([])
  expect(await addAttempts(world.pool, [start])).toBe(0)
  expect(await takeReports(world.pool, 10, 5)).toMatchObject([{ outcome: PUBLISHED }])
})
