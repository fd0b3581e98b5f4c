import { CreatePostBody } from '@herald/contracts/posts'
import { describe, expect, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { fingerprintOf } from '../src/fingerprint.ts'
import { contentsOf, inSeconds, postsWorld, refusalOf, type World } from './world.ts'

async function duplicateOf(world: World, body: Parameters<World['create']>[0] = {}) {
  const refusal = await refusalOf(world.create(body))
  expect(refusal).toMatchObject({ code: 'duplicate_post', status: 409 })
  return refusal.details?.postId
}

/** As if the posts so far had been created this much earlier. */
async function letPass({ pool }: World, interval: string): Promise<void> {
  await pool.query('update recent_posts set at = at - $1::interval', [interval])
}

async function publish(world: World, postId: string): Promise<void> {
  expect((await claimDuePosts(world.pool, 10)).started).toBe(1)
  await world.handlers.recordChannelResult({
    organizationId: world.own.id,
    postId,
    channelId: world.own.mastodon,
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
}

describe('the same post within 5 minutes', () => {
  test('is refused with the id of the first', async () => {
    await using world = await postsWorld()
    const first = await world.create()
    expect(await duplicateOf(world)).toBe(first.id)
  })

  test('118: is the same whatever the order of channels, of platform texts and of options', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const publishAt = inSeconds(3600)
    const first = await world.create({
      channelIds: [mastodon, bluesky],
      platformContent: { MASTODON: 'm', BLUESKY: 'b' },
      mastodon: { visibility: 'public', sensitive: true },
      publishAt,
    })
    const again = {
      mastodon: { sensitive: true, visibility: 'public' as const },
      publishAt: publishAt.replace('Z', '+00:00'),
      platformContent: { BLUESKY: 'b', MASTODON: 'm' },
      channelIds: [bluesky, mastodon],
    }
    expect(await duplicateOf(world, again)).toBe(first.id)
  })

  test('118: differs by text, platform text, options, channels and publish time', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const posts = [
      await world.create(),
      await world.create({ content: 'Hello!' }),
      await world.create({ platformContent: { MASTODON: 'Hello' } }),
      await world.create({ mastodon: { sensitive: true } }),
      await world.create({ mastodon: { sensitive: false } }),
      await world.create({ channelIds: [mastodon, bluesky] }),
      await world.create({ channelIds: [bluesky] }),
      await world.create({ publishAt: inSeconds(3600) }),
      await world.create({ publishAt: inSeconds(7200) }),
    ]
    expect(new Set(posts.map(({ id }) => id)).size).toBe(posts.length)
  })

  test('118: differs by the order of its files', () => {
    const body = (mediaIds: string[]) =>
      CreatePostBody.parse({ content: 'a', channelIds: ['x'], mediaIds })
    expect(fingerprintOf(body(['1', '2']))).toBe(fingerprintOf(body(['1', '2'])))
    expect(fingerprintOf(body(['1', '2']))).not.toBe(fingerprintOf(body(['2', '1'])))
  })

  test('117: of another organization is another post', async () => {
    await using world = await postsWorld()
    const other = world.organization()
    const mine = await world.create()
    const { pool } = world
    // The channel ids of two organizations always differ; with theirs as ours, only the organization does.
    const fingerprint = fingerprintOf(
      CreatePostBody.parse({ content: 'Hello', channelIds: [other.mastodon] }),
    )
    await pool.query('update recent_posts set fingerprint = $1', [fingerprint])
    const theirs = await world.create(
      { channelIds: [other.mastodon] },
      world.caller('all', other.id),
    )
    expect(theirs.id).not.toBe(mine.id)
  })

  test('65: asked for 50 times at once is created once, and the others learn its id', async () => {
    await using world = await postsWorld(20)
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => world.create()))
    const created = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value.id] : []))
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(created).toHaveLength(1)
    expect(refused).toHaveLength(49)
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'duplicate_post', details: { postId: created[0] } })
    const { streams, events, outbox, posts, due } = await contentsOf(world)
    expect([streams, events, outbox, posts, due].map((rows) => rows?.length)).toEqual([
      1, 1, 1, 1, 1,
    ])
  })

  test('leaves nothing half-written when it is refused', async () => {
    await using world = await postsWorld()
    await world.create()
    const before = await contentsOf(world)
    await duplicateOf(world)
    expect(await contentsOf(world)).toEqual(before)
  })

  test('counts although the first was published and removed', async () => {
    await using world = await postsWorld()
    const first = await world.create()
    await publish(world, first.id)
    await world.handlers.remove({ caller: world.caller(), postId: first.id })
    expect(await duplicateOf(world)).toBe(first.id)
  })

  test('141: counts although the first was edited to say something else', async () => {
    await using world = await postsWorld()
    const publishAt = inSeconds(3600)
    const first = await world.create({ publishAt })
    await world.handlers.edit({
      caller: world.caller(),
      postId: first.id,
      body: { content: 'Something else' },
    })
    expect(await duplicateOf(world, { publishAt })).toBe(first.id)
  })
})

describe('the same post is allowed', () => {
  test('119: once the first was cancelled', async () => {
    await using world = await postsWorld()
    const first = await world.create()
    await world.handlers.remove({ caller: world.caller(), postId: first.id })
    const second = await world.create()
    expect(second.id).not.toBe(first.id)
    expect(await duplicateOf(world)).toBe(second.id)
  })

  test('after 5 minutes, and then it is the one that counts', async () => {
    await using world = await postsWorld()
    const first = await world.create()
    await letPass(world, '4 minutes 50 seconds')
    expect(await duplicateOf(world)).toBe(first.id)
    await letPass(world, '11 seconds')
    const second = await world.create()
    expect(second.id).not.toBe(first.id)
    expect(await duplicateOf(world)).toBe(second.id)
  })

  test('once for 20 concurrent requests after the first was cancelled', async () => {
    await using world = await postsWorld(20)
    const first = await world.create()
    await world.handlers.remove({ caller: world.caller(), postId: first.id })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => world.create()))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})
