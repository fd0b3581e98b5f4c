import { createLogger } from '@herald/service/logger'
import { expect, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { sweep } from '../src/sweep.ts'
import { contentsOf, createDue, inSeconds, postsWorld, type World } from './world.ts'

const NOTHING = { addedToDue: 0, droppedFromDue: 0, abandoned: 0 }
const HOUR = 3600

const sweepOnce = ({ pool }: World) =>
  sweep({
    store: { pool },
    logger: createLogger({ service: 'posts', level: 'silent' }),
    publishWithinMinutes: 60,
  })

/** One post in each state that the sweep looks at, none of which needs a repair. */
async function createHealthy(world: World) {
  const publishing = await createDue(world, { content: 'publishing' }, 58 * 60)
  await claimDuePosts(world.pool, 10)
  const due = await createDue(world, { content: 'due' })
  const later = await world.create({ content: 'later', publishAt: inSeconds(HOUR) })
  const cancelled = await world.create({ content: 'cancelled' })
  await world.handlers.remove({ caller: world.caller(), postId: cancelled.id })
  return { publishing, due, later }
}

test('when nothing is wrong, nothing is repaired and nothing changes', async () => {
  await using world = await postsWorld()
  await createHealthy(world)
  const before = await contentsOf(world)
  expect(await sweepOnce(world)).toEqual(NOTHING)
  expect(await contentsOf(world)).toEqual(before)
})

test('a scheduled post that nobody waits for is waited for again, and is published', async () => {
  await using world = await postsWorld()
  const { due, later } = await createHealthy(world)
  const before = await contentsOf(world)
  await world.pool.query('delete from due')
  expect(await sweepOnce(world)).toEqual({ ...NOTHING, addedToDue: 2 })
  expect(await contentsOf(world)).toEqual(before)
  expect(await world.handlers.checkProjections({})).toMatchObject({ mismatches: [] })
  expect((await claimDuePosts(world.pool, 10)).started).toBe(1)
  const read = (postId: string) => world.handlers.get({ caller: world.caller(), postId })
  expect((await read(due.id)).status).toBe('publishing')
  expect((await read(later.id)).status).toBe('scheduled')
  expect(await sweepOnce(world)).toEqual(NOTHING)
})

test('a due row behind its post is brought up to it', async () => {
  await using world = await postsWorld()
  const { later } = await createHealthy(world)
  const { rows } = await world.pool.query('select * from due where post_id = $1', [later.id])
  const publishAt = inSeconds(2 * HOUR)
  await world.handlers.edit({
    caller: world.caller(),
    postId: later.id,
    body: { publishAt },
  })
  const good = await contentsOf(world)
  await world.pool.query('update due set version = $2, publish_at = $3 where post_id = $1', [
    later.id,
    rows[0].version,
    rows[0].publish_at,
  ])
  expect(await sweepOnce(world)).toEqual({ ...NOTHING, addedToDue: 1 })
  expect(await contentsOf(world)).toEqual(good)
})

test('a due row of a post that does not wait, or of no post, is dropped', async () => {
  await using world = await postsWorld()
  const { publishing } = await createHealthy(world)
  const before = await contentsOf(world)
  await world.pool.query(
    `insert into due select id, organization_id, version, now(), '[]'::jsonb from posts where id = $1
     union all select 'post_gone', $2, 1, now(), '[]'::jsonb`,
    [publishing.id, world.own.id],
  )
  expect(await sweepOnce(world)).toEqual({ ...NOTHING, droppedFromDue: 2 })
  expect(await contentsOf(world)).toEqual(before)
})

test('a post whose publishing never ended is ended as unconfirmed, not to be tried again', async () => {
  await using world = await postsWorld()
  const { own } = world
  const post = await createDue(world, { channelIds: [own.mastodon, own.bluesky] }, HOUR)
  await claimDuePosts(world.pool, 10)
  await world.handlers.recordChannelResult({
    organizationId: own.id,
    postId: post.id,
    channelId: own.mastodon,
    generation: 2,
    result: {
      outcome: 'published',
      platformPostId: '1',
      url: 'https://social.example/1',
      publishedAt: inSeconds(0),
      latenessMs: 1,
      attempts: 1,
    },
  })
  expect(await sweepOnce(world)).toEqual({ ...NOTHING, abandoned: 1 })
  const ended = await world.handlers.get({ caller: world.caller(), postId: post.id })
  expect(ended.status).toBe('published')
  expect(ended.channels).toMatchObject([
    { channelId: own.mastodon, status: 'published' },
    { channelId: own.bluesky, status: 'failed', errorCode: 'unconfirmed', retryable: false },
  ])
  expect(ended.channels[1]?.error).toMatch(/account/)
  expect(await world.handlers.checkProjections({})).toEqual({ streams: 1, mismatches: [] })
  expect(await sweepOnce(world)).toEqual(NOTHING)
})

test('a post that is published late is given up only when its publishing may no longer go on', async () => {
  await using world = await postsWorld()
  await createDue(world, { content: 'in time' }, 58 * 60)
  await createDue(world, { content: 'too late' }, 60 * 60)
  await claimDuePosts(world.pool, 10)
  expect(await sweepOnce(world)).toEqual({ ...NOTHING, abandoned: 1 })
  const { data } = await world.handlers.list({ caller: world.caller(), limit: 25 })
  expect(data.map(({ content, status }) => `${content}: ${status}`)).toEqual([
    'in time: publishing',
    'too late: failed',
  ])
})

test('the memory of the duplicate rule is cleared of what has passed, and of nothing else', async () => {
  await using world = await postsWorld()
  await world.create({ content: 'old' })
  await world.pool.query(`update recent_posts set at = at - interval '6 minutes'`)
  const recent = await world.create({ content: 'recent' })
  await sweepOnce(world)
  const { rows } = await world.pool.query('select post_id from recent_posts')
  expect(rows).toEqual([{ post_id: recent.id }])
})
