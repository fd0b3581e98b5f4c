import { AppError, unavailable } from '@herald/contracts/errors'
import type { CloudEvent } from '@herald/contracts/events'
import { newId } from '@herald/contracts/ids'
import { expect, test } from 'vitest'
import type { Deps } from '../src/deps.ts'
import { onPublishStarted } from '../src/on-publish-started.ts'
import { publisherWorld, type World } from './world.ts'

type StartedPost = Awaited<ReturnType<Deps['posts']['getForPublishing']>>

const DUE_AT = '2026-01-01T12:00:00.000Z'
const WITHIN_MINUTES = 58

function startedPost(): StartedPost {
  const channel = (change: Partial<StartedPost['channels'][number]>) => ({
    channelId: newId('channel'),
    platform: 'MASTODON' as const,
    status: 'publishing' as const,
    content: 'For Mastodon',
    options: { sensitive: true },
    live: null,
    ...change,
  })
  return {
    postId: newId('post'),
    organizationId: newId('organization'),
    status: 'publishing',
    dueAt: DUE_AT,
    generation: 4,
    mayBeLiveSince: null,
    channels: [channel({}), channel({ platform: 'BLUESKY', content: 'For Bluesky', options: {} })],
    mediaIds: [newId('media')],
  }
}

function startedEvent(post: StartedPost): CloudEvent {
  return {
    specversion: '1.0',
    id: newId('event'),
    source: '/herald/posts',
    type: 'PublishStarted',
    subject: post.postId,
    time: DUE_AT,
    datacontenttype: 'application/json',
    organizationid: post.organizationId,
    sequence: 4,
    data: {
      postId: post.postId,
      scheduledAt: DUE_AT,
      startedAt: DUE_AT,
      latenessMs: 3,
      channels: post.channels.map(({ channelId, platform }) => ({ channelId, platform })),
    },
  }
}

/** Handles the event of a post, while the posts service answers this for it. */
function handle({ pool }: World, post: StartedPost, answer = async () => post): Promise<void> {
  const posts: Deps['posts'] = {
    getForPublishing: async ({ organizationId, postId }) => {
      expect([organizationId, postId]).toEqual([post.organizationId, post.postId])
      return answer()
    },
    recordChannelResult: async () => ({ recorded: false }),
  }
  return onPublishStarted({ pool, posts }, WITHIN_MINUTES, startedEvent(post))
}

async function attemptsIn({ pool }: World) {
  const { rows } = await pool.query('select * from attempts order by channel_id')
  return rows
}

test('a post that starts gets one attempt for each channel, with what that channel is to get', async () => {
  await using world = await publisherWorld()
  const post = startedPost()
  await handle(world, post)
  expect(await attemptsIn(world)).toMatchObject(
    post.channels
      .toSorted((one, other) => (one.channelId < other.channelId ? -1 : 1))
      .map(({ channelId, platform, content, options }) => ({
        post_id: post.postId,
        channel_id: channelId,
        generation: 4,
        organization_id: post.organizationId,
        platform,
        content,
        options,
        state: 'claimed',
        due_at: DUE_AT,
        deadline_at: '2026-01-01T12:58:00.000Z',
      })),
  )
})

test('the same event again adds and changes nothing', async () => {
  await using world = await publisherWorld()
  const post = startedPost()
  await handle(world, post)
  const before = await attemptsIn(world)
  await handle(world, post)
  await Promise.all([handle(world, post), handle(world, post)])
  expect(await attemptsIn(world)).toEqual(before)
})

test('a post that was removed meanwhile gets no attempt', async () => {
  await using world = await publisherWorld()
  await handle(world, startedPost(), () => Promise.reject(new AppError('not_found', 'No post.')))
  expect(await attemptsIn(world)).toEqual([])
})

test('channels that have ended get no attempt', async () => {
  await using world = await publisherWorld()
  const post = startedPost()
  const [open] = post.channels
  const channels = (['published', 'failed', 'draft'] as const).map((status) => ({
    ...startedPost().channels[0]!,
    status,
  }))
  post.channels = [open!, ...channels]
  await handle(world, post)
  expect((await attemptsIn(world)).map(({ channel_id }) => channel_id)).toEqual([open!.channelId])
})

test('a start that has been followed by another gets no attempt, however late the news of it are', async () => {
  await using world = await publisherWorld()
  const post = startedPost()
  await handle(world, post, async () => ({ ...post, generation: 9 }))
  expect(await attemptsIn(world)).toEqual([])
})

test('while the posts service does not answer, the event is not done', async () => {
  await using world = await publisherWorld()
  const call = handle(world, startedPost(), () => Promise.reject(unavailable()))
  await expect(call).rejects.toMatchObject({ status: 503 })
  expect(await attemptsIn(world)).toEqual([])
})
