import { NotFound } from '@herald/client/errors'
import type { Post, PostChannel } from '@herald/contracts/posts'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test as base } from 'vitest'
import { testWorld, type TestChannel, type World } from './world.ts'

const test = base.extend<{ world: World }>({
  world: [
    async ({}, use) => {
      await using world = await testWorld()
      await use(world)
    },
    { scope: 'file' },
  ],
})

let count = 0
const text = () => `Post ${(count += 1)} of ${process.pid}`

async function ended(world: World, id: string): Promise<Post> {
  let post: Post | undefined
  await eventually(
    async () => {
      post = await world.get(id)
      expect(['published', 'failed']).toContain(post.status)
    },
    { timeoutMs: 30_000 },
  )
  return post!
}

async function liveTimes(world: World, channel: TestChannel, content: string): Promise<number> {
  return (await world.sandbox.live(channel)).filter((live) => live.text === content).length
}

describe('a post', () => {
  test('without a publish time goes live once on every channel, with its address', async ({
    world,
  }) => {
    const content = text()
    const created = await world.create({
      content,
      channelIds: [world.mastodon.id, world.bluesky.id],
    })
    expect(created).toMatchObject({ status: 'scheduled', source: 'api', publishedAt: null })
    const post = await ended(world, created.id)
    expect(post.status).toBe('published')
    for (const channel of [world.mastodon, world.bluesky]) {
      const [live] = (await world.sandbox.live(channel)).filter((one) => one.text === content)
      const shown = post.channels.find(({ channelId }) => channelId === channel.id)
      expect(shown).toMatchObject({ status: 'published', url: live?.url, error: null })
      expect(shown?.latenessMs).toBeGreaterThanOrEqual(0)
      expect(await liveTimes(world, channel, content)).toBe(1)
    }
  })

  test('with a publish time is not live before it', async ({ world }) => {
    const content = text()
    const publishAt = new Date(Date.now() + 1_500).toISOString()
    const created = await world.create({ content, channelIds: [world.mastodon.id], publishAt })
    const post = await ended(world, created.id)
    expect(Date.parse(post.channels[0]!.publishedAt!)).toBeGreaterThanOrEqual(Date.parse(publishAt))
    expect(post.channels[0]!.latenessMs).toBeGreaterThanOrEqual(0)
  })

  test('gives each channel its own text', async ({ world }) => {
    const [content, own] = [text(), text()]
    const created = await world.create({
      content,
      channelIds: [world.mastodon.id, world.bluesky.id],
      platformContent: { BLUESKY: own },
    })
    await ended(world, created.id)
    expect(await liveTimes(world, world.mastodon, content)).toBe(1)
    expect(await liveTimes(world, world.bluesky, own)).toBe(1)
    expect(await liveTimes(world, world.bluesky, content)).toBe(0)
  })

  test('147: that is live on a platform stays there when it is deleted here', async ({ world }) => {
    const content = text()
    const created = await world.create({ content, channelIds: [world.mastodon.id] })
    await ended(world, created.id)
    expect(await world.herald.posts.remove(created.id)).toEqual({ id: created.id, deleted: true })
    await expect(world.get(created.id)).rejects.toBeInstanceOf(NotFound)
    expect(await liveTimes(world, world.mastodon, content)).toBe(1)
  })

  test('of a revoked grant fails with a clear error and marks the channel', async ({ world }) => {
    const account = await world.sandbox.createAccount('MASTODON')
    const channel = await world.channels.connect({
      organizationId: world.organizationId,
      platform: 'MASTODON',
      baseUrl: account.baseUrl,
      credentials: account.credentials,
    })
    await world.sandbox.revoke({ platform: 'MASTODON', account: account.account })
    const created = await world.create({ content: text(), channelIds: [channel.id] })
    const post = await ended(world, created.id)
    expect(post.channels[0]).toMatchObject({ status: 'failed', errorCode: 'reauth_required' })
    await eventually(async () => {
      const refused = world.create({ content: text(), channelIds: [channel.id] })
      await expect(refused).rejects.toMatchObject({
        name: 'ReauthRequired',
        status: 409,
        details: { channelIds: [channel.id] },
      })
    })
  })
})

type Expected = Partial<PostChannel> & { live: number; sent: number }
const PUBLISHED: Expected = { status: 'published', live: 1, sent: 1 }
const UNCONFIRMED: Expected = { status: 'failed', errorCode: 'unconfirmed', live: 0, sent: 1 }

const FAULTS: [string, string, Expected][] = [
  ['drop_before', 'ends as unconfirmed', UNCONFIRMED],
  ['drop_after', 'is found live', PUBLISHED],
  ['hang_after', 'is found live', PUBLISHED],
  ['error_before', 'ends as unconfirmed', UNCONFIRMED],
  ['error_after', 'is found live', PUBLISHED],
  ['malformed', 'is found live', PUBLISHED],
  ['slow', 'is live', PUBLISHED],
  ['rate_limit', 'is sent again when the platform allows', { ...PUBLISHED, sent: 2 }],
  ['auth_expired', 'is sent again with a token that is good', { ...PUBLISHED, sent: 2 }],
]

describe.each(['MASTODON', 'BLUESKY'] as const)('on %s', (platform) => {
  test.for(FAULTS)(
    'a call with %s %s, and is never sent twice',
    async ([kind, , expected], { world }) => {
      const content = text()
      const account = await world.sandbox.createAccount(platform)
      const { id } = await world.channels.connect({
        organizationId: world.organizationId,
        platform,
        baseUrl: account.baseUrl,
        credentials: account.credentials,
      })
      const channel = { id, account: account.account, platform }
      await world.sandbox.fault({ platform, account: account.account, kind, times: 1 })
      const created = await world.create({ content, channelIds: [id] })
      const post = await ended(world, created.id)
      const { live, sent, ...shown } = expected
      expect(post.channels[0]).toMatchObject(shown)
      expect(await liveTimes(world, channel, content)).toBe(live)
      expect((await world.sandbox.requests(channel)).length).toBe(sent)
    },
  )
})
