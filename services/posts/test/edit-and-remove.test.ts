import { newId } from '@herald/contracts/ids'
import type { ChannelResult, EditPostBody, Post } from '@herald/contracts/posts'
import { describe, expect, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import {
  contentsOf,
  createDue,
  inSeconds,
  postsWorld,
  refusalOf,
  refusalsOf,
  type World,
} from './world.ts'

const edit = (world: World, postId: string, body: EditPostBody, caller = world.caller()) =>
  world.handlers.edit({ caller, postId, body })

const remove = (world: World, postId: string, caller = world.caller()) =>
  world.handlers.remove({ caller, postId })

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
  errorCode: 'rejected',
  retryable: false,
  attempts: 1,
  latenessMs: null,
}

/** A post in each state that is not `scheduled`, by the road it takes there. */
async function postIn(world: World, status: Post['status']): Promise<Post> {
  if (status === 'scheduled') return world.create({ publishAt: inSeconds(3600) })
  const post = await createDue(world, { content: status })
  await claimDuePosts(world.pool, 10)
  if (status !== 'publishing')
    await world.handlers.recordChannelResult({
      organizationId: world.own.id,
      postId: post.id,
      channelId: world.own.mastodon,
      generation: 2,
      result: status === 'published' ? published : failed,
    })
  const found = await world.handlers.get({ caller: world.caller(), postId: post.id })
  expect(found.status).toBe(status)
  return found
}

async function dueRow({ pool }: World, postId: string) {
  const { rows } = await pool.query<{ publish_at: string; version: number }>(
    'select publish_at, version from due where post_id = $1',
    [postId],
  )
  return rows[0]
}

describe('changing a scheduled post', () => {
  test('answers the post as it stands from then on', async () => {
    await using world = await postsWorld()
    const post = await postIn(world, 'scheduled')
    const publishAt = inSeconds(7200)
    const changed = await edit(world, post.id, {
      content: 'New',
      platformContent: { MASTODON: 'New on Mastodon' },
      publishAt,
    })
    expect(changed).toMatchObject({ status: 'scheduled', content: 'New', scheduledAt: publishAt })
    expect(changed.channels[0]?.content).toBe('New on Mastodon')
    expect(await world.handlers.get({ caller: world.caller(), postId: post.id })).toEqual(changed)
    const { data } = await world.handlers.history({ postId: post.id })
    expect(data.map(({ version, type }) => `${version} ${type}`)).toEqual([
      '1 PostScheduled',
      '2 PostEdited',
      '3 PostRescheduled',
    ])
    expect(await world.handlers.checkProjections({})).toEqual({ streams: 1, mismatches: [] })
  })

  test('leaves out what the body leaves out, and null clears the platform texts', async () => {
    await using world = await postsWorld()
    const post = await world.create({
      platformContent: { MASTODON: 'Own' },
      publishAt: inSeconds(3600),
    })
    const one = await edit(world, post.id, { content: 'New' })
    expect([one.content, one.channels[0]?.content]).toEqual(['New', 'Own'])
    expect(one.scheduledAt).toBe(post.scheduledAt)
    const other = await edit(world, post.id, { platformContent: null })
    expect([other.content, other.channels[0]?.content]).toEqual(['New', 'New'])
  })

  test('to what it says already writes nothing', async () => {
    await using world = await postsWorld()
    const post = await postIn(world, 'scheduled')
    const before = await contentsOf(world)
    const body = { content: post.content, publishAt: post.scheduledAt }
    expect(await edit(world, post.id, body)).toEqual(post)
    expect(await contentsOf(world)).toEqual(before)
  })

  test('moves its due row with it and wakes the scheduler', async () => {
    await using world = await postsWorld()
    const post = await postIn(world, 'scheduled')
    const publishAt = inSeconds(60)
    const wakes = world.wakes.count
    await edit(world, post.id, { publishAt })
    expect(await dueRow(world, post.id)).toEqual({ publish_at: publishAt, version: 2 })
    expect(world.wakes.count).toBeGreaterThan(wakes)
    await edit(world, post.id, { content: 'Other' })
    expect(await dueRow(world, post.id)).toEqual({ publish_at: publishAt, version: 3 })
  })

  test('137: runs the rules on the result and changes nothing when one is broken', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const post = await world.create({
      channelIds: [mastodon, bluesky],
      publishAt: inSeconds(3600),
    })
    const before = await contentsOf(world)
    const refusal = await refusalOf(edit(world, post.id, { content: 'x'.repeat(501) }))
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422 })
    expect(refusal.details?.violations).toMatchObject([
      { channelId: mastodon, rule: 'maxChars', limit: 500, actual: 501 },
      { channelId: bluesky, rule: 'maxChars', limit: 300, actual: 501 },
    ])
    for (const body of [
      { content: ' ' },
      { platformContent: { X: 'Hi' } },
      { publishAt: inSeconds(-3600) },
    ])
      expect((await refusalOf(edit(world, post.id, body))).status).toBe(422)
    expect(await contentsOf(world)).toEqual(before)
  })
})

describe('removing', () => {
  test('a scheduled post cancels it: it is gone, and nobody waits for it', async () => {
    await using world = await postsWorld()
    const post = await postIn(world, 'scheduled')
    expect(await remove(world, post.id)).toEqual({ id: post.id, deleted: true })
    expect(await dueRow(world, post.id)).toBeUndefined()
    const { data } = await world.handlers.history({ postId: post.id })
    expect(data.at(-1)).toMatchObject({ version: 2, type: 'PostCancelled', actor: 'key:key_1' })
    expect(await world.handlers.checkProjections({})).toEqual({ streams: 1, mismatches: [] })
  })

  test.for(['published', 'failed'] as const)(
    'a %s post takes it from the service',
    async (status) => {
      await using world = await postsWorld()
      const post = await postIn(world, status)
      expect(await remove(world, post.id)).toEqual({ id: post.id, deleted: true })
      const { data } = await world.handlers.history({ postId: post.id })
      expect(data.at(-1)?.type).toBe('PostRemoved')
      expect(await world.handlers.checkProjections({})).toEqual({ streams: 1, mismatches: [] })
    },
  )

  test.for(['scheduled', 'published'] as const)(
    '143: a %s post makes it unknown to every operation',
    async (status) => {
      await using world = await postsWorld()
      const { id: postId } = await postIn(world, status)
      await remove(world, postId)
      const caller = world.caller()
      const organizationId = world.own.id
      const refusals = await refusalsOf(
        world.handlers.get({ caller, postId }),
        edit(world, postId, { content: 'New' }),
        remove(world, postId),
        world.handlers.getForPublishing({ organizationId, postId }),
      )
      for (const refusal of refusals)
        expect(refusal).toMatchObject({ code: 'not_found', status: 404 })
      expect((await world.handlers.list({ caller, limit: 25 })).data).toEqual([])
      const late = {
        organizationId,
        postId,
        channelId: world.own.mastodon,
        generation: 2,
        result: published,
      }
      expect(await world.handlers.recordChannelResult(late)).toEqual({ recorded: false })
    },
  )
})

describe('409 conflict, with nothing changed', () => {
  test.for(['publishing', 'published', 'failed'] as const)(
    '138: changing a %s post',
    async (status) => {
      await using world = await postsWorld()
      const post = await postIn(world, status)
      const before = await contentsOf(world)
      const refusal = await refusalOf(edit(world, post.id, { content: 'New' }))
      expect(refusal).toMatchObject({ code: 'conflict', status: 409 })
      expect(await contentsOf(world)).toEqual(before)
    },
  )

  test('144: removing a publishing post', async () => {
    await using world = await postsWorld()
    const post = await postIn(world, 'publishing')
    const before = await contentsOf(world)
    expect(await refusalOf(remove(world, post.id))).toMatchObject({ code: 'conflict', status: 409 })
    expect(await contentsOf(world)).toEqual(before)
  })
})

describe('a post is not found', () => {
  test('by another organization, nor under an id that is none', async () => {
    await using world = await postsWorld()
    const other = world.organization()
    const post = await postIn(world, 'scheduled')
    const before = await contentsOf(world)
    const theirs = world.caller('all', other.id)
    const borrowed = world.caller([world.own.mastodon], other.id)
    const refusals = await refusalsOf(
      ...[theirs, borrowed].flatMap((caller) => [
        world.handlers.get({ caller, postId: post.id }),
        edit(world, post.id, { content: 'Theirs' }, caller),
        remove(world, post.id, caller),
      ]),
    )
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ code: 'not_found', status: 404 })
    for (const postId of [newId('post'), 'nonsense', '', world.own.mastodon])
      expect((await refusalOf(edit(world, postId, { content: 'New' }))).status).toBe(404)
    expect(await contentsOf(world)).toEqual(before)
  })
})

describe('a key that is limited to some channels', () => {
  test('142: may not change or remove a post that has others too, and does not know one with none of its own', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const publishAt = inSeconds(3600)
    const both = await world.create({ channelIds: [mastodon, bluesky], publishAt })
    const none = await world.create({ channelIds: [mastodon], publishAt })
    const before = await contentsOf(world)
    const caller = world.caller([bluesky])
    const changes = (postId: string) =>
      refusalsOf(edit(world, postId, { content: 'New' }, caller), remove(world, postId, caller))
    for (const refusal of await changes(both.id))
      expect(refusal).toMatchObject({ code: 'forbidden_scope', status: 403 })
    for (const refusal of await changes(none.id))
      expect(refusal).toMatchObject({ code: 'not_found', status: 404 })
    expect(await contentsOf(world)).toEqual(before)
  })

  test('may change and remove a post whose channels are all its own', async () => {
    await using world = await postsWorld()
    const { bluesky } = world.own
    const post = await world.create({ channelIds: [bluesky], publishAt: inSeconds(3600) })
    const caller = world.caller([bluesky])
    expect((await edit(world, post.id, { content: 'New' }, caller)).content).toBe('New')
    expect(await remove(world, post.id, caller)).toEqual({ id: post.id, deleted: true })
  })
})
