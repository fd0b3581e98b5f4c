import { once } from 'node:events'
import { eventually } from '@herald/testing/eventually'
import { expect, test, vi } from 'vitest'
import { liveFiles, picture, published, upload } from './files.ts'
import { killChild, testWorld } from './world.ts'

// Processes start and end here several times, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

test('a post that is due while the media service is away waits for it, and is live soon after it is back', async () => {
  await using world = await testWorld({ processes: { media: 0 } })
  const service = world.spawn('media')
  const file = await eventually(() => upload(world, picture(40, 30)), { timeoutMs: 45_000 })
  const channelIds = [world.mastodon.id, world.bluesky.id]
  const { id } = await world.herald.posts.create({
    content: 'It waits for its picture',
    channelIds,
    mediaIds: [file.id],
    publishAt: new Date(Date.now() + 2_000).toISOString(),
  })
  await killChild(service)
  await eventually(
    async () => {
      const { status, channels } = await world.herald.posts.get(id)
      expect(status).toBe('publishing')
      for (const channel of channels)
        expect(channel).toMatchObject({
          errorCode: 'unavailable',
          nextAttemptAt: expect.any(String),
        })
    },
    { timeoutMs: 30_000 },
  )
  world.spawn('media')
  const post = await published(world, id)
  for (const channel of post.channels)
    expect(channel).toMatchObject({ error: null, errorCode: null })
  for (const channel of [world.mastodon, world.bluesky])
    expect(await liveFiles(world, channel, post.content)).toMatchObject([{ width: 40, height: 30 }])
})

test('a publisher killed between the uploads and the call uploads nothing again, and the post is live once', async () => {
  await using world = await testWorld({ processes: { publisher: 0 } })
  const files = await Promise.all([1, 2].map((seed) => upload(world, picture(40 + seed, 30, seed))))
  for (const channel of [world.mastodon, world.bluesky]) {
    const doomed = world.spawn('publisher', 'publisher.prepared')
    const died = once(doomed, 'exit')
    const { id, content } = await world.herald.posts.create({
      content: `Uploaded once to ${channel.platform}`,
      channelIds: [channel.id],
      mediaIds: files.map((file) => file.id),
    })
    expect((await died)[1]).toBe('SIGKILL')
    expect(await world.sandbox.uploads(channel)).toHaveLength(2)
    expect(await world.sandbox.requests(channel)).toEqual([])
    const survivor = world.spawn('publisher')
    await published(world, id)
    expect(await world.sandbox.uploads(channel)).toHaveLength(2)
    expect(await liveFiles(world, channel, content)).toMatchObject([{ width: 41 }, { width: 42 }])
    await killChild(survivor)
  }
})
