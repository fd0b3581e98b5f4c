import type { Post } from '@herald/contracts/posts'
import { handle, loadEvents } from '@herald/event-store/handle'
import { expect, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import type { PostCommand } from '../src/domain/post.ts'
import { postStream } from '../src/post-stream.ts'
import { contentsOf, createDue, inSeconds, postsWorld, type World } from './world.ts'

const eventsOf = (world: World, postId: string) => loadEvents(world.pool, postId, world.own.id)

async function startedIds({ pool }: World): Promise<string[]> {
  const { rows } = await pool.query<{ stream_id: string }>(
    `select stream_id from events where type = 'PublishStarted' order by at, stream_id`,
  )
  return rows.map(({ stream_id }) => stream_id)
}

/** Due posts, made in another order than that in which they are due. */
async function createManyDue(world: World, count: number): Promise<Post[]> {
  const posts: Post[] = []
  for (let index = 0; index < count; index++)
    posts.push(await createDue(world, { content: `due ${index}` }, 1000 - ((index * 7) % count)))
  return posts
}

test('a claim starts what is due by the clock of the database, and nothing else', async () => {
  await using world = await postsWorld()
  const due = await createDue(world)
  // By the clock of this service it is due as well; the database says otherwise.
  world.clock.offsetMs = -3_600_000
  const later = await world.create({ content: 'later', publishAt: inSeconds(600) })
  world.clock.offsetMs = 3_600_000
  const { started, nextInMs } = await claimDuePosts(world.pool, 10)
  expect(started).toBe(1)
  expect(await startedIds(world)).toEqual([due.id])
  expect(nextInMs).toBeGreaterThan(0)
  expect(nextInMs).toBeLessThanOrEqual(600_000)
  const caller = world.caller()
  const [one, other] = await Promise.all(
    [due, later].map(({ id }) => world.handlers.get({ caller, postId: id })),
  )
  expect([one?.status, one?.channels[0]?.status]).toEqual(['publishing', 'publishing'])
  expect([other?.status, other?.channels[0]?.status]).toEqual(['scheduled', 'draft'])
})

test('with nothing due and nothing waiting, a claim starts nothing and knows no next time', async () => {
  await using world = await postsWorld()
  expect(await claimDuePosts(world.pool, 10)).toEqual({ started: 0, nextInMs: null })
})

test('the oldest are started first, as many as asked', async () => {
  await using world = await postsWorld()
  const posts = await createManyDue(world, 10)
  const oldestFirst = posts
    .toSorted((one, other) => (one.scheduledAt < other.scheduledAt ? -1 : 1))
    .map(({ id }) => id)
  for (let claimed = 4; claimed <= 8; claimed += 4) {
    expect((await claimDuePosts(world.pool, 4)).started).toBe(4)
    expect((await startedIds(world)).toSorted()).toEqual(oldestFirst.slice(0, claimed).toSorted())
  }
})

test('the claim writes the event, its outbox row and the read model that the fold would have', async () => {
  await using world = await postsWorld()
  const { own, pool } = world
  const post = await createDue(world, { channelIds: [own.bluesky, own.mastodon] }, 5)
  await claimDuePosts(pool, 10)
  const [, event, ...rest] = await eventsOf(world, post.id)
  expect(rest).toEqual([])
  expect(event).toEqual({
    stream_id: post.id,
    version: 2,
    organization_id: own.id,
    event_id: expect.stringMatching(/^evt_/),
    type: 'PublishStarted',
    schema_version: 3,
    meta: { actor: 'scheduler' },
    at: expect.any(String),
    data: {
      generation: 2,
      scheduledAt: post.scheduledAt,
      startedAt: event?.at,
      latenessMs: expect.any(Number),
      channels: [
        { channelId: own.bluesky, platform: 'BLUESKY' },
        { channelId: own.mastodon, platform: 'MASTODON' },
      ],
    },
  })
  const latenessMs = Number(event?.data['latenessMs'])
  expect(latenessMs).toBeGreaterThanOrEqual(5000)
  const measured = Date.parse(event?.at ?? '') - Date.parse(post.scheduledAt)
  expect(Math.abs(latenessMs - measured)).toBeLessThanOrEqual(1)
  const { rows: outbox } = await pool.query('select stream_id, version from outbox order by id')
  expect(outbox).toEqual([
    { stream_id: post.id, version: 1 },
    { stream_id: post.id, version: 2 },
  ])
  expect(await world.handlers.checkProjections({})).toEqual({ streams: 1, mismatches: [] })
  expect((await contentsOf(world))['due']).toEqual([])
})

test('a claimed post takes results like any other: the streams go on without a gap', async () => {
  await using world = await postsWorld()
  const [post] = await createManyDue(world, 1)
  await claimDuePosts(world.pool, 10)
  await world.handlers.recordChannelResult({
    organizationId: world.own.id,
    postId: post!.id,
    channelId: world.own.mastodon,
    generation: 2,
    result: {
      outcome: 'failed',
      error: 'No.',
      errorCode: 'rejected',
      retryable: false,
      attempts: 1,
      latenessMs: null,
    },
  })
  const events = await eventsOf(world, post!.id)
  expect(events.map(({ version, type }) => `${version} ${type}`)).toEqual([
    '1 PostScheduled',
    '2 PublishStarted',
    '3 ChannelFailed',
    '4 PostFailed',
  ])
  expect(await world.handlers.checkProjections({})).toEqual({ streams: 1, mismatches: [] })
})

test('two schedulers at once start each of 200 posts once', async () => {
  await using world = await postsWorld(20)
  const posts = await createManyDue(world, 200)
  const claimAll = async () => {
    let total = 0
    for (;;) {
      const { started } = await claimDuePosts(world.pool, 16)
      total += started
      const { rowCount } = await world.pool.query('select from due')
      if (rowCount === 0) return total
    }
  }
  const totals = await Promise.all([claimAll(), claimAll()])
  expect(totals[0]! + totals[1]!).toBe(200)
  expect((await startedIds(world)).toSorted()).toEqual(posts.map(({ id }) => id).toSorted())
  const { rows } = await world.pool.query('select from outbox where version = 2')
  expect(rows).toHaveLength(200)
  expect(await world.handlers.checkProjections({})).toEqual({ streams: 200, mismatches: [] })
})

test('a post that is being changed is skipped without waiting, and started afterwards as changed', async () => {
  await using world = await postsWorld()
  const { own, pool } = world
  const [locked, free] = await createManyDue(world, 2)
  const client = await pool.connect()
  try {
    await client.query('begin')
    const command: PostCommand = {
      type: 'EditPost',
      changes: { content: 'Changed' },
      channels: [],
      now: inSeconds(0),
    }
    await handle({ pool }, postStream, locked!.id, command, {
      organizationId: own.id,
      meta: { actor: 'test' },
      within: client,
    })
    expect((await claimDuePosts(pool, 10)).started).toBe(1)
    expect(await startedIds(world)).toEqual([free!.id])
    await client.query('commit')
  } finally {
    client.release()
  }
  expect((await claimDuePosts(pool, 10)).started).toBe(1)
  const events = await eventsOf(world, locked!.id)
  expect(events.map(({ version, type }) => `${version} ${type}`)).toEqual([
    '1 PostScheduled',
    '2 PostEdited',
    '3 PublishStarted',
  ])
  const started = await world.handlers.getForPublishing({
    organizationId: own.id,
    postId: locked!.id,
  })
  expect(started.channels[0]?.content).toBe('Changed')
})

test('a due row of another version than its stream is not claimed and stays for the sweep', async () => {
  await using world = await postsWorld()
  const [stale, good] = await createManyDue(world, 2)
  await world.pool.query('update due set version = 7 where post_id = $1', [stale!.id])
  expect((await claimDuePosts(world.pool, 10)).started).toBe(1)
  expect(await startedIds(world)).toEqual([good!.id])
  const { rows } = await world.pool.query('select post_id, version from due')
  expect(rows).toEqual([{ post_id: stale!.id, version: 7 }])
})
