import type { IfMatch } from '@herald/contracts/if-match'
import type { Post } from '@herald/contracts/posts'
import { etagOf } from '@herald/service/etag'
import { describe, expect, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { contentsOf, createDue, inSeconds, postsWorld, refusalOf, type World } from './world.ts'

const MISMATCH = { status: 412, code: 'conflict', details: { reason: 'etag_mismatch' } }

const edit = (world: World, postId: string, content: string, ifMatch?: IfMatch) =>
  world.handlers.edit({ caller: world.caller(), postId, body: { content }, ifMatch })
const remove = (world: World, postId: string, ifMatch?: IfMatch) =>
  world.handlers.remove({ caller: world.caller(), postId, ifMatch })
const get = (world: World, postId: string, caller = world.caller()) =>
  world.handlers.get({ caller, postId })
const later = (world: World) => world.create({ publishAt: inSeconds(3600) })

describe.each([
  ['a change', (world: World, id: string, ifMatch: IfMatch) => edit(world, id, 'New', ifMatch)],
  ['a deletion', (world: World, id: string, ifMatch: IfMatch) => remove(world, id, ifMatch)],
])('%s under If-Match', (_name, change) => {
  test('takes place when one of the tags is the post’s', async () => {
    await using world = await postsWorld()
    const post = await later(world)
    await change(world, post.id, ['"other"', etagOf(post)])
    expect((await world.pool.query('select version from streams')).rows).toEqual([{ version: 2 }])
  })

  test('takes place when it only asks for a post to be there', async () => {
    await using world = await postsWorld()
    const post = await later(world)
    await change(world, post.id, '*')
    expect((await world.pool.query('select version from streams')).rows).toEqual([{ version: 2 }])
  })

  test.each([
    ['an older tag', (old: string) => [old]],
    ['no strong tag', () => []],
  ])('412: does not for %s, and nothing has changed', async (_tags, tagsOf) => {
    await using world = await postsWorld()
    const post = await later(world)
    await edit(world, post.id, 'Somebody else was first')
    const before = await contentsOf(world)
    expect(await refusalOf(change(world, post.id, tagsOf(etagOf(post))))).toMatchObject(MISMATCH)
    expect(await contentsOf(world)).toEqual(before)
  })

  test('is 404 for a post that is not there, and 403 for a key that may not change it', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const post = await world.create({
      channelIds: [mastodon, bluesky],
      publishAt: inSeconds(3600),
    })
    const limited = world.caller([mastodon])
    const input = { caller: limited, postId: post.id, ifMatch: [] }
    expect(await refusalOf(world.handlers.remove(input))).toMatchObject({ status: 403 })
    await remove(world, post.id)
    expect(await refusalOf(change(world, post.id, [etagOf(post)]))).toMatchObject({ status: 404 })
  })

  test('is 412 when publishing has begun since', async () => {
    await using world = await postsWorld()
    const post = await createDue(world)
    await claimDuePosts(world.pool, 10)
    expect(await refusalOf(change(world, post.id, [etagOf(post)]))).toMatchObject(MISMATCH)
  })
})

test('of changes at the same time on one tag exactly one takes place, and the others are 412', async () => {
  await using world = await postsWorld()
  const post = await later(world)
  let current: Post = post
  for (let round = 0; round < 40; round++) {
    const tag = etagOf(current)
    const outcomes = await Promise.all(
      [0, 1, 2].map((writer) =>
        edit(world, post.id, `round ${round}, writer ${writer}`, [tag]).then(
          (changed) => changed,
          (error: unknown) => refusalOf(Promise.reject(error)),
        ),
      ),
    )
    const changed = outcomes.filter((outcome): outcome is Post => 'id' in outcome)
    expect(changed).toHaveLength(1)
    for (const outcome of outcomes) if (!('id' in outcome)) expect(outcome).toMatchObject(MISMATCH)
    current = await get(world, post.id)
    expect(current).toEqual(changed[0])
  }
})

describe('the tag of a post', () => {
  test('is the same in the answer of a change and in a look at it after, in every state', async () => {
    await using world = await postsWorld()
    const { mastodon } = world.own
    const file = world.library.add()
    const created = await createDue(world, {
      mediaIds: [file.id],
      platformContent: { MASTODON: 'Own text' },
    })
    const seen = new Set<string>()
    const expectSame = async (answered?: Post) => {
      const found = await get(world, created.id)
      if (answered) expect(etagOf(found)).toBe(etagOf(answered))
      expect(seen).not.toContain(etagOf(found))
      seen.add(etagOf(found))
    }
    const record = (result: Parameters<typeof world.handlers.recordChannelResult>[0]['result']) =>
      world.handlers.recordChannelResult({
        organizationId: world.own.id,
        postId: created.id,
        channelId: mastodon,
        // It was edited before its publishing started.
        generation: 3,
        result,
      })
    await expectSame(created)
    await expectSame(await edit(world, created.id, 'New'))
    await claimDuePosts(world.pool, 10)
    await expectSame()
    const delay = { error: 'Later.', errorCode: 'busy', attempts: 1 }
    await record({ outcome: 'delayed', ...delay, nextAttemptAt: inSeconds(10) })
    await expectSame()
    await record({
      outcome: 'published',
      platformPostId: '1',
      url: 'https://a.example/1',
      publishedAt: inSeconds(0),
      latenessMs: 5,
      attempts: 2,
    })
    await expectSame()
  })

  test('is another for keys that see other channels of it', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const { id } = await world.create({ channelIds: [mastodon, bluesky] })
    const tags = [
      await get(world, id),
      await get(world, id, world.caller([mastodon])),
      await get(world, id, world.caller([bluesky])),
    ].map(etagOf)
    expect(new Set(tags).size).toBe(3)
    const alike = await get(world, id, world.caller([mastodon, bluesky]))
    expect(etagOf(alike)).toBe(tags[0])
  })
})
