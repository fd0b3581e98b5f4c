import { unavailable } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import { POST_EVENT_DATA } from '@herald/contracts/post-events'
import { loadEvents } from '@herald/event-store/handle'
import { checkProjection } from '@herald/event-store/rebuild'
import { describe, expect, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { postStream } from '../src/post-stream.ts'
import { toPublicEvent } from '../src/public-events.ts'
import { inSeconds, postsWorld, refusalOf, type World } from './world.ts'

describe('a post with files', () => {
  test('shows them in the order asked, and its event names them', async () => {
    await using world = await postsWorld()
    const [one, two] = [world.library.add(), world.library.add({ url: 'https://files.example/2' })]
    const post = await world.create({ mediaIds: [two.id, one.id] })
    expect(post.media).toEqual([
      { id: two.id, type: 'image', url: two.url },
      { id: one.id, type: 'image', url: one.url },
    ])
    const read = await world.handlers.get({ caller: world.caller(), postId: post.id })
    expect(read).toEqual(post)
    const { data } = await world.handlers.list({ caller: world.caller(), limit: 25 })
    expect(data).toEqual([post])
    const [stored] = await loadEvents(world.pool, post.id, world.own.id)
    const data1 = POST_EVENT_DATA.PostScheduled.parse(JSON.parse(toPublicEvent(stored!)!.body).data)
    expect(data1.mediaIds).toEqual([two.id, one.id])
    expect(world.library.held.get(post.id)).toEqual([two.id, one.id])
    expect(world.library.released).toEqual([])
  })

  test('may have no text', async () => {
    await using world = await postsWorld()
    const { id } = world.library.add()
    expect((await world.create({ content: '', mediaIds: [id] })).status).toBe('scheduled')
  })

  test('is given to the publisher with the ids of its files', async () => {
    await using world = await postsWorld()
    const { id } = world.library.add()
    const post = await world.create({ mediaIds: [id] })
    const input = { organizationId: world.own.id, postId: post.id }
    expect((await world.handlers.getForPublishing(input)).mediaIds).toEqual([id])
  })

  test('keeps them when it is edited, and the rules look at them again', async () => {
    await using world = await postsWorld()
    const { id } = world.library.add()
    const post = await world.create({ mediaIds: [id], publishAt: inSeconds(60) })
    const body = { content: '' }
    const edited = await world.handlers.edit({ caller: world.caller(), postId: post.id, body })
    expect(edited.media).toEqual(post.media)
  })

  test('is another one than the same text with other files, and files in another order', async () => {
    await using world = await postsWorld()
    const [one, two] = [world.library.add(), world.library.add()]
    const same = { publishAt: inSeconds(60) }
    const first = await world.create({ ...same, mediaIds: [one.id, two.id] })
    await world.create({ ...same, mediaIds: [two.id, one.id] })
    await world.create({ ...same, mediaIds: [one.id] })
    await world.create(same)
    const refusal = await refusalOf(world.create({ ...same, mediaIds: [one.id, two.id] }))
    expect(refusal).toMatchObject({ code: 'duplicate_post', details: { postId: first.id } })
  })

  test('of which the read model is the fold of its events', async () => {
    await using world = await postsWorld()
    const { id } = world.library.add()
    await world.create({ mediaIds: [id] })
    await claimDuePosts(world.pool, 10)
    expect(await checkProjection(world.pool, postStream)).toEqual({ streams: 1, mismatches: [] })
  })
})

describe('the files are let go when the post is not created, because', () => {
  test('it breaks a rule of a channel', async () => {
    await using world = await postsWorld()
    const files = Array.from({ length: 5 }, () => world.library.add().id)
    const refusal = await refusalOf(world.create({ mediaIds: files }))
    expect(refusal).toMatchObject({
      code: 'validation_failed',
      details: { violations: [{ rule: 'maxImages', limit: 4, actual: 5, path: 'mediaIds' }] },
    })
    expect(world.library.held.size).toBe(0)
    expect(world.library.released).toHaveLength(1)
  })

  test('the same post was created before', async () => {
    await using world = await postsWorld()
    const { id } = world.library.add()
    const body = { mediaIds: [id], publishAt: inSeconds(60) }
    const first = await world.create(body)
    await refusalOf(world.create(body))
    expect([...world.library.held.keys()]).toEqual([first.id])
  })

  test('a file of it is not there, which is what the media service says', async () => {
    await using world = await postsWorld()
    const refusal = await refusalOf(world.create({ mediaIds: [newId('media')] }))
    expect(refusal).toMatchObject({ code: 'validation_failed', status: 422 })
    expect(world.library.released).toHaveLength(1)
  })

  test('it took so long that they may have been let go already: 503, and no post', async () => {
    await using world = await postsWorld()
    const { id } = world.library.add()
    world.library.goodForMs = -1
    const refusal = await refusalOf(world.create({ mediaIds: [id] }))
    expect(refusal).toMatchObject({ code: 'internal_error', status: 503 })
    const { data } = await world.handlers.list({ caller: world.caller(), limit: 25 })
    expect(data).toEqual([])
    world.library.goodForMs = 60_000
    expect((await world.create({ mediaIds: [id] })).media).toHaveLength(1)
  })
})

test('a release that does not arrive hides no refusal', async () => {
  await using world = await postsWorld()
  const files = Array.from({ length: 5 }, () => world.library.add().id)
  world.library.release = async () => {
    throw unavailable()
  }
  const refusal = await refusalOf(world.create({ mediaIds: files }))
  expect(refusal).toMatchObject({ code: 'validation_failed', status: 422 })
})

test('posts that are scheduled or being published hold their files, others do not', async () => {
  await using world = await postsWorld()
  const scheduled = await world.create({ publishAt: inSeconds(3600) })
  const cancelled = await world.create({ content: 'b', publishAt: inSeconds(3600) })
  await world.handlers.remove({ caller: world.caller(), postId: cancelled.id })
  const publishing = await world.create({ content: 'c' })
  await claimDuePosts(world.pool, 10)
  const failed = await world.create({ content: 'd' })
  await claimDuePosts(world.pool, 10)
  await world.handlers.recordChannelResult({
    organizationId: world.own.id,
    postId: failed.id,
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
  const postIds = [scheduled, cancelled, publishing, failed].map(({ id }) => id)
  const { data } = await world.handlers.holding({ postIds: [...postIds, newId('post')] })
  expect(data.toSorted()).toEqual([scheduled.id, publishing.id].toSorted())
})

test('a post whose event is of the first version has no files', async () => {
  await using world = await postsWorld()
  const post = await world.create({ publishAt: inSeconds(3600) })
  await makeFirstVersion(world, post.id)
  const [stored] = await loadEvents(world.pool, post.id, world.own.id)
  expect(JSON.parse(toPublicEvent(stored!)!.body).data.mediaIds).toEqual([])
  expect(await checkProjection(world.pool, postStream)).toEqual({ streams: 1, mismatches: [] })
})

/** Stored events are never changed, so the guard against it must go for a moment. */
async function makeFirstVersion({ pool }: World, postId: string): Promise<void> {
  await pool.query('alter table events disable trigger all')
  await pool.query(
    `update events set data = data - 'media', schema_version = 1 where stream_id = $1`,
    [postId],
  )
  await pool.query('alter table events enable trigger all')
}
