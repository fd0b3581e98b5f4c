import { newId } from '@herald/contracts/ids'
import { CreatePostBody, Post } from '@herald/contracts/posts'
import { describe, expect, test } from 'vitest'
import { contentsOf, inSeconds, postsWorld, refusalOf } from './world.ts'

const MINUTE = 60
const YEAR = 365 * 24 * 60 * MINUTE

describe('an accepted post', () => {
  test('has every field of the specification, null where nothing is known yet', async () => {
    await using world = await postsWorld()
    const { own } = world
    const publishAt = inSeconds(3600)
    const post = await world.create({
      channelIds: [own.bluesky, own.mastodon],
      platformContent: { BLUESKY: 'For Bluesky' },
      mastodon: { visibility: 'unlisted' },
      publishAt,
    })
    const unknown = {
      platformPostId: null,
      url: null,
      publishedAt: null,
      error: null,
      errorCode: null,
      retryable: null,
      attempts: 0,
      nextAttemptAt: null,
      latenessMs: null,
    }
    expect(Post.parse(post)).toEqual({
      id: expect.stringMatching(/^post_/),
      status: 'scheduled',
      content: 'Hello',
      scheduledAt: publishAt,
      publishedAt: null,
      createdAt: expect.any(String),
      source: 'api',
      channels: [
        {
          channelId: own.bluesky,
          platform: 'BLUESKY',
          status: 'draft',
          content: 'For Bluesky',
          ...unknown,
        },
        {
          channelId: own.mastodon,
          platform: 'MASTODON',
          status: 'draft',
          content: 'Hello',
          ...unknown,
        },
      ],
      media: [],
      reddit: null,
    })
    const read = await world.handlers.get({ caller: world.caller(), postId: post.id })
    expect(read).toEqual(post)
  })

  test('without a publish time is due at its creation and wakes the scheduler', async () => {
    await using world = await postsWorld()
    const post = await world.create()
    expect(post.scheduledAt).toBe(post.createdAt)
    expect(world.wakes.count).toBe(1)
    await world.create({ publishAt: inSeconds(3600) })
    expect(world.wakes.count).toBe(1)
  })

  test('is event, outbox row, read model and due row at once', async () => {
    await using world = await postsWorld()
    const post = await world.create({ channelIds: [world.own.mastodon, world.own.bluesky] })
    const contents = await contentsOf(world)
    expect(Object.entries(contents).map(([table, rows]) => [table, rows.length])).toEqual([
      ['streams', 1],
      ['events', 1],
      ['outbox', 1],
      ['posts', 1],
      ['post_channels', 2],
      ['due', 1],
      ['recent_posts', 1],
    ])
    expect(await world.handlers.checkProjections({})).toEqual({ streams: 1, mismatches: [] })
    const { data } = await world.handlers.history({ postId: post.id })
    expect(data).toMatchObject([{ version: 1, type: 'PostScheduled', actor: 'key:key_1' }])
  })
})

describe('channels', () => {
  test('77, 78, 79: that are unknown, disconnected, of others or outside the key are refused alike', async () => {
    await using world = await postsWorld()
    const { own } = world
    const other = world.organization()
    const limited = world.caller([own.bluesky])
    const refusals = [
      await refusalOf(world.create({ channelIds: [newId('channel')] })),
      await refusalOf(world.create({ channelIds: ['nonsense'] })),
      await refusalOf(world.create({ channelIds: [other.mastodon] })),
      await refusalOf(world.create({ channelIds: [own.disconnected] })),
      await refusalOf(world.create({ channelIds: [own.mastodon] }, limited)),
      await refusalOf(world.create({ channelIds: [own.stale] }, limited)),
    ]
    expect(refusals[0]).toMatchObject({
      code: 'validation_failed',
      status: 422,
      details: { issues: [{ path: 'channelIds.0' }] },
    })
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0])
  })

  test('80: that must be authorized again are 409 reauth_required with their ids', async () => {
    await using world = await postsWorld()
    const { own } = world
    expect(await refusalOf(world.create({ channelIds: [own.mastodon, own.stale] }))).toMatchObject({
      code: 'reauth_required',
      status: 409,
      details: { channelIds: [own.stale] },
    })
  })
})

describe('a refused post', () => {
  test('leaves nothing behind', async () => {
    await using world = await postsWorld()
    const { own } = world
    const empty = await contentsOf(world)
    await refusalOf(world.create({ channelIds: [own.stale] }))
    await refusalOf(world.create({ channelIds: [own.disconnected] }))
    await refusalOf(world.create({ content: ' ' }))
    await refusalOf(world.create({ publishAt: inSeconds(-3600) }))
    expect(await contentsOf(world)).toEqual(empty)
  })

  test('114, 115: names every rule that it breaks on every channel at once', async () => {
    await using world = await postsWorld()
    const { own } = world
    const refusal = await refusalOf(
      world.create({
        content: 'x'.repeat(501),
        platformContent: { BLUESKY: 'y'.repeat(3001) },
        channelIds: [own.mastodon, own.bluesky],
      }),
    )
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422 })
    const mastodon = { channelId: own.mastodon, platform: 'MASTODON' }
    const bluesky = { channelId: own.bluesky, platform: 'BLUESKY', path: 'platformContent.BLUESKY' }
    expect(refusal.details?.violations).toMatchObject([
      { ...mastodon, rule: 'maxChars', limit: 500, actual: 501, path: 'content' },
      { ...bluesky, rule: 'maxChars', limit: 300, actual: 3001 },
      { ...bluesky, rule: 'maxBytes', limit: 3000, actual: 3001 },
    ])
  })

  test('66, 67: has neither text nor media', async () => {
    await using world = await postsWorld()
    const refusal = await refusalOf(world.create({ content: ' \n ' }))
    expect(refusal).toMatchObject({ status: 422, code: 'validation_failed' })
    expect(refusal.details?.violations).toMatchObject([{ rule: 'requiresContent' }])
  })

  test('113: has text or options for a platform that none of its channels is on', async () => {
    await using world = await postsWorld()
    const refusal = await refusalOf(
      world.create({ platformContent: { X: 'Hi' }, bluesky: { languages: ['en'] } }),
    )
    expect(refusal).toMatchObject({
      code: 'validation_failed',
      status: 422,
      details: { issues: [{ path: 'platformContent.X' }, { path: 'bluesky' }] },
    })
  })
})

describe('the publish time', () => {
  test('96: may be up to 60 seconds ago, which counts as now', async () => {
    await using world = await postsWorld()
    const post = await world.create({ publishAt: inSeconds(-50) })
    expect(post.scheduledAt).toBe(post.createdAt)
  })

  test.for([
    ['more than 60 seconds ago', -61],
    ['more than two years ahead', 2 * YEAR + 3 * 24 * 60 * MINUTE],
  ] as const)('is refused when it is %s', async ([, seconds]) => {
    await using world = await postsWorld()
    expect(await refusalOf(world.create({ publishAt: inSeconds(seconds) }))).toMatchObject({
      code: 'validation_failed',
      status: 422,
      details: { issues: [{ path: 'publishAt' }] },
    })
  })

  test('may be nearly two years ahead', async () => {
    await using world = await postsWorld()
    const publishAt = inSeconds(2 * YEAR - MINUTE)
    expect((await world.create({ publishAt })).scheduledAt).toBe(publishAt)
  })
})

test('the contract refuses what Postgres cannot store and what the specification does not know', () => {
  const body = { content: 'Hello', channelIds: ['a'] }
  expect(CreatePostBody.safeParse(body).success).toBe(true)
  for (const wrong of [
    { ...body, content: 'a\u0000b' },
    { ...body, content: '\ud800' },
    { ...body, platformContent: { MASTODON: '\u0000' } },
    { ...body, publishAt: '2030-01-01T00:00:00' },
    { ...body, channelIds: [] },
    { ...body, channelIds: ['a', 'a'] },
    { ...body, unknown: 1 },
    { ...body, mastodon: { unknown: 1 } },
  ])
    expect(CreatePostBody.safeParse(wrong)).toMatchObject({ success: false })
})
