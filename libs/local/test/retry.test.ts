import { PostHistoryPage } from '@herald/contracts/post-history'
import type { Post, PostChannel } from '@herald/contracts/posts'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test as base } from 'vitest'
import { testWorld, type TestChannel, type World } from './world.ts'

const test = base.extend<{ world: World }>({
  world: [
    async ({}, use) => {
      await using world = await testWorld()
      await use(world)
      const { mismatches } = await world.posts.checkProjections({})
      if (mismatches.length > 0)
        throw new Error(`Read model and events differ: ${mismatches.join()}`)
    },
    { scope: 'file' },
  ],
})

let count = 0
const next = (what: string) => `${what}${(count += 1)}`

type Platform = TestChannel['platform']
type Account = TestChannel & { username: string }

/** A channel of its own on an account of its own, whose grant can be revoked and given again. */
async function connect(world: World, platform: Platform): Promise<Account> {
  const username = next('user')
  const made = await grant(world, { platform, username })
  return { platform, username, ...made }
}

async function grant(world: World, { platform, username }: Pick<Account, 'platform' | 'username'>) {
  const { account, baseUrl, credentials } = await world.sandbox.createAccount(platform, username)
  const { organizationId } = world
  const { id } = await world.channels.connect({ organizationId, platform, baseUrl, credentials })
  return { id, account }
}

async function ended(world: World, id: string): Promise<Post> {
  return eventually(
    async () => {
      const post = await world.get(id)
      expect(['published', 'failed']).toContain(post.status)
      return post
    },
    { timeoutMs: 30_000 },
  )
}

const on = (post: Post, { id }: TestChannel): PostChannel =>
  post.channels.find(({ channelId }) => channelId === id)!

const retry = (
  world: World,
  id: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> => world.call('POST', `/posts/${id}/retry`, body)

/** How often the post is live on a channel, and how often it was sent there. */
async function counts(
  { sandbox }: World,
  channel: TestChannel,
): Promise<[live: number, sent: number]> {
  return [(await sandbox.live(channel)).length, (await sandbox.requests(channel)).length]
}

test('a post that failed on one of two channels is sent again there alone, and each has it exactly once', async ({
  world,
}) => {
  const [good, bad] = [await connect(world, 'BLUESKY'), await connect(world, 'MASTODON')]
  await world.sandbox.revoke({ platform: bad.platform, account: bad.account })
  const { id } = await world.create({ content: 'Fresh bread.', channelIds: [good.id, bad.id] })
  const before = await ended(world, id)
  expect(before.status).toBe('published')
  expect(on(before, bad)).toMatchObject({ status: 'failed', errorCode: 'reauth_required' })
  expect(await counts(world, good)).toEqual([1, 1])

  expect(await retry(world, id)).toMatchObject({
    status: 409,
    body: { error: { code: 'reauth_required', details: { channelIds: [bad.id] } } },
  })
  // The same account connected again is the same channel.
  expect((await grant(world, bad)).id).toBe(bad.id)
  await eventually(async () =>
    expect(await retry(world, id)).toMatchObject({ status: 200, body: { status: 'scheduled' } }),
  )
  const after = await ended(world, id)
  expect(after.status).toBe('published')
  expect(on(after, bad)).toMatchObject({ status: 'published', error: null })
  expect(on(after, good)).toEqual(on(before, good))
  expect(await counts(world, good)).toEqual([1, 1])
  expect((await counts(world, bad))[0]).toBe(1)
  expect(await retry(world, id)).toMatchObject({ status: 409 })

  const history = PostHistoryPage.parse((await world.call('GET', `/posts/${id}/events`)).body)
  expect(history.data.map(({ type }) => type).filter((type) => type.startsWith('Post'))).toEqual([
    'PostScheduled',
    'PostPublished',
    'PostRetried',
    'PostPublished',
  ])
})

describe.each(['MASTODON', 'BLUESKY'] as const)(
  'on %s a call that nobody can vouch for',
  (platform) => {
    /** A post whose only call met a fault and which ended as unconfirmed. */
    async function unconfirmed(world: World, kind: string, unread: number) {
      const channel = await connect(world, platform)
      await world.sandbox.fault({ platform, account: channel.account, kind, times: 1 })
      // A record of Bluesky is read without saying who asks, and so are the limits of a Mastodon instance.
      const whose = platform === 'MASTODON' ? { account: channel.account } : {}
      const fault = { platform, ...whose, kind: 'error_before', times: unread, on: 'read' }
      if (unread > 0) await world.sandbox.fault(fault)
      const { id } = await world.create({ content: next('text '), channelIds: [channel.id] })
      const post = await ended(world, id)
      expect(on(post, channel)).toMatchObject({ status: 'failed', errorCode: 'unconfirmed' })
      expect(await retry(world, id)).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict', details: { channelIds: [channel.id] } } },
      })
      return { id, channel }
    }

    test('and did not arrive is sent again with the word of a person', async ({ world }) => {
      const { id, channel } = await unconfirmed(world, 'drop_before', 0)
      expect((await retry(world, id, { includeUnconfirmed: true })).status).toBe(200)
      expect((await ended(world, id)).status).toBe('published')
      expect(await counts(world, channel)).toEqual([1, 2])
    })

    test('and is live is found by the last look, and not sent again', async ({ world }) => {
      const { id, channel } = await unconfirmed(world, 'drop_after', 3)
      expect((await retry(world, id, { includeUnconfirmed: true })).status).toBe(200)
      expect((await ended(world, id)).status).toBe('published')
      expect(await counts(world, channel)).toEqual([1, 1])
    })

    test('and is live, which no look can tell, is known to the platform by its key', async ({
      world,
    }) => {
      const { id, channel } = await unconfirmed(world, 'drop_after', 4)
      expect((await retry(world, id, { includeUnconfirmed: true })).status).toBe(200)
      expect((await ended(world, id)).status).toBe('published')
      expect(await counts(world, channel)).toEqual([1, 2])
    })
  },
)

test('of two retries at once one is carried out', async ({ world }) => {
  const channel = await connect(world, 'MASTODON')
  const { platform, account } = channel
  await world.sandbox.fault({ platform, account, kind: 'drop_before', times: 1 })
  const { id } = await world.create({ content: next('text '), channelIds: [channel.id] })
  await ended(world, id)
  const again = () => retry(world, id, { includeUnconfirmed: true })
  const answers = await Promise.all([again(), again(), again()])
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200, 409, 409,
  ])
  expect((await ended(world, id)).status).toBe('published')
  expect(await counts(world, channel)).toEqual([1, 2])
})

test('a post that breaks a rule is told so before it is made', async ({ world }) => {
  const body = { content: 'x'.repeat(301), channelIds: [world.mastodon.id, world.bluesky.id] }
  expect(await world.call('POST', '/posts/validate', body)).toMatchObject({
    status: 200,
    body: { valid: false, violations: [{ channelId: world.bluesky.id, rule: 'maxChars' }] },
  })
  expect(await world.call('POST', '/posts/validate', { ...body, content: 'x' })).toEqual({
    status: 200,
    body: { valid: true, violations: [] },
  })
})
