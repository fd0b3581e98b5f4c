import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '@herald/contracts/errors'
import type { ChannelResult, Post } from '@herald/contracts/posts'
import { loadEvents } from '@herald/event-store/handle'
import { expect, describe, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { sweep } from '../src/sweep.ts'
import { contentsOf, createDue, inSeconds, postsWorld, refusalOf, type World } from './world.ts'

const published: ChannelResult = {
  outcome: 'published',
  platformPostId: '1',
  url: 'https://social.example/1',
  publishedAt: '2026-01-01T00:00:00.000Z',
  latenessMs: 1,
  attempts: 1,
}
const failed: ChannelResult = {
  outcome: 'failed',
  error: 'No.',
  errorCode: 'platform_rejected',
  retryable: false,
  attempts: 1,
  latenessMs: null,
}
const unconfirmed: ChannelResult = { ...failed, errorCode: 'unconfirmed' }

function report(
  { handlers, own }: World,
  postId: string,
  channelId: string,
  result: ChannelResult,
  generation = 2,
) {
  const input = { organizationId: own.id, postId, channelId, generation, result }
  return handlers.recordChannelResult(input)
}

const retry = (world: World, postId: string, caller = world.caller(), includeUnconfirmed = false) =>
  world.handlers.retry({ caller, postId, body: { includeUnconfirmed } })

/** A post that is live on Bluesky, and not on Mastodon, for this reason. */
async function partly(
  world: World,
  result = failed,
  body: Parameters<World['create']>[0] = {},
): Promise<Post> {
  const { mastodon, bluesky } = world.own
  const { id } = await createDue(world, { ...body, channelIds: [mastodon, bluesky] })
  await claimDuePosts(world.pool, 10)
  await report(world, id, bluesky, published)
  await report(world, id, mastodon, result)
  return world.handlers.get({ caller: world.caller(), postId: id })
}

async function eventsOf({ pool, own }: World, postId: string) {
  const events = await loadEvents(pool, postId, own.id)
  expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1))
  return events
}

const expectSound = async (world: World) =>
  expect(await world.handlers.checkProjections({})).toMatchObject({ mismatches: [] })

describe('200', () => {
  test('the post is due now on the channels that failed, and only these start', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const before = await partly(world)
    const wakes = world.wakes.count
    const post = await retry(world, before.id)
    expect(post).toEqual({
      ...before,
      status: 'scheduled',
      scheduledAt: expect.any(String),
      channels: expect.any(Array),
    })
    expect(Date.parse(post.scheduledAt)).toBeGreaterThan(Date.parse(before.scheduledAt))
    expect(post.channels).toEqual([
      {
        ...before.channels[0],
        status: 'draft',
        error: null,
        errorCode: null,
        retryable: null,
        attempts: 0,
      },
      before.channels[1],
    ])
    expect(world.wakes.count).toBe(wakes + 1)
    expect(await world.handlers.get({ caller: world.caller(), postId: post.id })).toEqual(post)
    await expectSound(world)

    expect((await claimDuePosts(world.pool, 10)).started).toBe(1)
    const events = await eventsOf(world, post.id)
    const [retried, started] = events.slice(-2)
    expect(retried).toMatchObject({ type: 'PostRetried', version: 6, meta: { actor: 'key:key_1' } })
    expect(started).toMatchObject({
      type: 'PublishStarted',
      data: {
        generation: 7,
        scheduledAt: post.scheduledAt,
        channels: [{ channelId: mastodon, platform: 'MASTODON' }],
      },
    })
    const input = { organizationId: world.own.id, postId: post.id }
    const forPublisher = await world.handlers.getForPublishing(input)
    expect(forPublisher).toMatchObject({ generation: 7, dueAt: post.scheduledAt })
    expect(forPublisher.channels.map(({ channelId, status }) => [channelId, status])).toEqual(
      expect.arrayContaining([
        [mastodon, 'publishing'],
        [bluesky, 'published'],
      ]),
    )
    await expectSound(world)

    await report(world, post.id, mastodon, published, 7)
    const ended = await world.handlers.get({ caller: world.caller(), postId: post.id })
    expect(ended.status).toBe('published')
    expect(ended.channels.map(({ status }) => status)).toEqual(['published', 'published'])
    await expectSound(world)
  })

  test('what nobody knows is sent again with the word of a person, and with nothing less', async () => {
    await using world = await postsWorld()
    const { id } = await partly(world, unconfirmed)
    expect(await refusalOf(retry(world, id))).toMatchObject({
      code: 'conflict',
      status: 409,
      details: { channelIds: [world.own.mastodon] },
    })
    const post = await retry(world, id, world.caller(), true)
    expect(post.channels.map(({ status }) => status)).toEqual(['draft', 'published'])
  })

  test('the files of the post are held again, and the version tells them from the hold before', async () => {
    await using world = await postsWorld()
    const file = world.library.add()
    const { id } = await partly(world, failed, { mediaIds: [file.id] })
    world.library.held.clear()
    await retry(world, id)
    expect(world.library.held.get(id)).toEqual([file.id])
    expect(world.library.sequences.get(id)).toBe(5)
    const { data } = await world.handlers.holding({ postIds: [id] })
    expect(data).toEqual([id])
  })

  test('the sweep gives it the time of a post that is due now, and repairs it like any other', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const { id } = await createDue(world, { channelIds: [mastodon, bluesky] }, 3 * 3600)
    await claimDuePosts(world.pool, 10)
    await report(world, id, bluesky, published)
    const sweepOnce = () =>
      sweep({ store: { pool: world.pool }, logger: world.deps.logger, publishWithinMinutes: 60 })
    expect(await sweepOnce()).toMatchObject({ abandoned: 1 })
    await retry(world, id, world.caller(), true)
    const good = await contentsOf(world)
    await world.pool.query('delete from due')
    expect(await sweepOnce()).toEqual({ addedToDue: 1, droppedFromDue: 0, abandoned: 0 })
    expect(await contentsOf(world)).toEqual(good)
    await claimDuePosts(world.pool, 10)
    expect(await sweepOnce()).toEqual({ addedToDue: 0, droppedFromDue: 0, abandoned: 0 })
  })
})

describe('403', () => {
  test('it takes all channels of the post', async () => {
    await using world = await postsWorld()
    const { id } = await partly(world)
    const before = await contentsOf(world)
    const limited = world.caller([world.own.mastodon])
    expect(await refusalOf(retry(world, id, limited))).toMatchObject({
      code: 'forbidden_scope',
      status: 403,
    })
    expect(await contentsOf(world)).toEqual(before)
  })
})

describe('404', () => {
  test('what the caller does not see is not there', async () => {
    await using world = await postsWorld()
    const { id } = await partly(world)
    const callers = [
      world.caller('all', world.organization().id),
      world.caller([world.own.stale]),
      world.caller([]),
    ]
    for (const caller of callers)
      expect(await refusalOf(retry(world, id, caller))).toMatchObject({ status: 404 })
  })
})

describe('409, with nothing changed and no file held', () => {
  test('a channel must be connected again', async () => {
    await using world = await postsWorld()
    const file = world.library.add()
    const channelId = world.connect(world.own.id, 'MASTODON')
    const { id } = await createDue(world, { channelIds: [channelId], mediaIds: [file.id] })
    await claimDuePosts(world.pool, 10)
    await report(world, id, channelId, failed)
    world.disconnect(channelId, 'reauth_required')
    world.library.held.clear()
    const before = await contentsOf(world)
    expect(await refusalOf(retry(world, id))).toMatchObject({
      code: 'reauth_required',
      status: 409,
      details: { channelIds: [channelId] },
    })
    world.disconnect(channelId)
    expect(await refusalOf(retry(world, id))).toMatchObject({ code: 'conflict', status: 409 })
    expect(await contentsOf(world)).toEqual(before)
    expect(world.library.held.size).toBe(0)
  })

  test('of two retries at once one is accepted', async () => {
    await using world = await postsWorld(20)
    const file = world.library.add()
    for (let run = 0; run < 20; run++) {
      const { id } = await partly(world, failed, { content: `${run}`, mediaIds: [file.id] })
      const outcomes = await Promise.allSettled([retry(world, id), retry(world, id)])
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'conflict', status: 409 },
      })
      const events = await eventsOf(world, id)
      expect(events.filter(({ type }) => type === 'PostRetried')).toHaveLength(1)
      // The other one held the same files and must not have let them go.
      expect(world.library.released).toEqual([])
    }
    await expectSound(world)
  })

  test('a post that changes while its files are being held is not retried on an old hold', async () => {
    await using world = await postsWorld()
    const file = world.library.add()
    const { mastodon, bluesky } = world.own
    const { id } = await createDue(world, { channelIds: [mastodon, bluesky], mediaIds: [file.id] })
    await claimDuePosts(world.pool, 10)
    await report(world, id, bluesky, failed)
    await report(world, id, mastodon, failed)
    const attach = world.library.attach.bind(world.library)
    world.library.attach = async (input) => {
      await report(world, id, bluesky, published)
      return attach(input)
    }
    expect(await refusalOf(retry(world, id))).toMatchObject({ code: 'conflict', status: 409 })
    world.library.attach = attach
    expect((await retry(world, id)).channels.map(({ status }) => status)).toEqual([
      'draft',
      'published',
    ])
  })
})

describe('422', () => {
  test('a file of the post is gone', async () => {
    await using world = await postsWorld()
    const file = world.library.add()
    const { id } = await partly(world, failed, { mediaIds: [file.id] })
    world.library.remove(file.id)
    const before = await contentsOf(world)
    expect(await refusalOf(retry(world, id))).toMatchObject({
      code: 'validation_failed',
      status: 422,
    })
    expect(await contentsOf(world)).toEqual(before)
  })
})

describe('503', () => {
  test('holding the files took so long that they may be let go already', async () => {
    await using world = await postsWorld()
    const file = world.library.add()
    const { id } = await partly(world, failed, { mediaIds: [file.id] })
    world.library.goodForMs = -1
    expect(await refusalOf(retry(world, id))).toMatchObject({ status: 503 })
    world.library.goodForMs = 60_000
    expect((await retry(world, id)).status).toBe('scheduled')
  })
})

test('a retried post that is deleted before it starts is removed, and stays a duplicate', async () => {
  await using world = await postsWorld()
  const body = { content: 'once', publishAt: inSeconds(-30) }
  const { id: postId } = await createDue(world, body, 40)
  await claimDuePosts(world.pool, 10)
  await report(world, postId, world.own.mastodon, failed)
  await retry(world, postId)
  await world.handlers.remove({ caller: world.caller(), postId })
  expect((await eventsOf(world, postId)).at(-1)?.type).toBe('PostRemoved')
  expect(await refusalOf(createDue(world, body, 40))).toMatchObject({ code: 'duplicate_post' })
  expect((await claimDuePosts(world.pool, 10)).started).toBe(0)
})

test('of a retry and a late success no channel is started again once it is known to be live, 200 times', async () => {
  await using world = await postsWorld(20)
  const { mastodon, bluesky } = world.own
  const outcomes = new Set<string>()
  for (let run = 0; run < 200; run++) {
    const { id } = await partly(world, unconfirmed, { content: `${run}` })
    const delayed = async <T>(turns: number, call: () => Promise<T>) => {
      for (let left = turns; left > 0; left--) await turn()
      return call()
    }
    const [accepted] = await Promise.all([
      delayed(run % 7, () => retry(world, id, world.caller(), true)).then(
        () => true,
        (error: unknown) => {
          if (error instanceof AppError && error.code === 'conflict') return false
          throw error
        },
      ),
      delayed(run % 5, () => report(world, id, mastodon, published)),
      delayed(run % 11, () => claimDuePosts(world.pool, 10)),
    ])
    await claimDuePosts(world.pool, 10)
    const types = (await eventsOf(world, id)).slice(5).map(({ type }) => type)
    const road = types.join(' ')
    expect(accepted).toBe(types.includes('PostRetried'))
    // Once started, the publisher's own rows keep the retry from being sent; see its tests.
    expect([
      'ChannelPublished',
      'PostRetried ChannelPublished PostPublished',
      'PostRetried PublishStarted ChannelPublished PostPublished',
    ]).toContain(road)
    outcomes.add(road)
    const post = await world.handlers.get({ caller: world.caller(), postId: id })
    expect(post.status).toBe('published')
    expect(post.channels.map(({ channelId, status }) => [channelId, status])).toEqual([
      [mastodon, 'published'],
      [bluesky, 'published'],
    ])
  }
  expect(outcomes.size).toBeGreaterThanOrEqual(2)
  await expectSound(world)
})

test('results of a start that was stored before starts had a number count', async () => {
  await using world = await postsWorld()
  const { id } = await createDue(world)
  await claimDuePosts(world.pool, 10)
  await world.pool.query('alter table events disable trigger all')
  await world.pool.query(
    `update events set data = data - 'generation', schema_version = 1 where type = 'PublishStarted'`,
  )
  await world.pool.query('alter table events enable trigger all')
  expect(await report(world, id, world.own.mastodon, failed)).toEqual({ recorded: true })
  expect((await retry(world, id)).status).toBe('scheduled')
  await expectSound(world)
})
