import { createHash } from 'node:crypto'
import { Conflict, NotFound } from '@herald/client/errors'
import type { NewUpload } from '@herald/client/resources'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test as base } from 'vitest'
import {
  animatedGif,
  film,
  liveFiles,
  noise,
  picture,
  published,
  serveFile,
  upload,
} from './files.ts'
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
const text = () => `Files ${(count += 1)} of ${process.pid}`
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A channel of its own, so that what is uploaded to it can be counted. */
async function connect(world: World, platform: TestChannel['platform']): Promise<TestChannel> {
  const { account, baseUrl, credentials } = await world.sandbox.createAccount(platform)
  const { organizationId } = world
  const { id } = await world.channels.connect({ organizationId, platform, baseUrl, credentials })
  return { id, account, platform }
}

test('four pictures are live on both platforms in their order, with their alt texts, as large as each platform takes them', async ({
  world,
}) => {
  const [small, wide, large] = [picture(40, 30), picture(300, 50, 2), noise(640, 560)]
  await using server = await serveFile(picture(64, 64, 3), { 'content-type': 'image/png' })
  const files = [
    await upload(world, large, { altText: 'A sunset' }),
    await upload(world, small, { altText: 'Small "and" quoted' }),
    await world.herald.media.import({ url: `${server.url}/square.png`, altText: 'A square' }),
    await upload(world, wide),
  ]
  const content = text()
  const { id } = await world.herald.posts.create({
    content,
    channelIds: [world.mastodon.id, world.bluesky.id],
    mediaIds: files.map((file) => file.id),
  })
  expect((await published(world, id)).media).toEqual(
    files.map((file) => ({ id: file.id, type: 'image', url: file.url })),
  )
  const sent = [large, small, picture(64, 64, 3), wide].map(sha256)
  const mastodon = await liveFiles(world, world.mastodon, content)
  expect(mastodon.map(({ altText }) => altText)).toEqual([
    'A sunset',
    'Small "and" quoted',
    'A square',
    null,
  ])
  expect(mastodon.map((file) => file.sha256)).toEqual(sent)
  const bluesky = await liveFiles(world, world.bluesky, content)
  expect(bluesky.map(({ altText }) => altText ?? '')).toEqual(
    mastodon.map(({ altText }) => altText ?? ''),
  )
  expect(bluesky.slice(1).map((file) => file.sha256)).toEqual(sent.slice(1))
  for (const { sizeBytes } of bluesky) expect(sizeBytes).toBeLessThanOrEqual(1_000_000)
  expect(bluesky[0]!.width! / bluesky[0]!.height!).toBeCloseTo(640 / 560, 2)
  const sizes = mastodon.map(({ width, height }) => [width, height])
  expect(sizes).toEqual(files.map(({ width, height }) => [width, height]))
  expect(sizes).toEqual([
    [640, 560],
    [40, 30],
    [64, 64],
    [300, 50],
  ])
})

describe('what moves', () => {
  test.for<[string, Buffer, NewUpload['mimeType'], string]>([
    ['an animated GIF', animatedGif(), 'image/gif', 'image/png'],
    ['a film', film(), 'video/mp4', 'video/mp4'],
  ])('%s is live on both platforms', async ([name, bytes, mimeType, onBluesky], { world }) => {
    const fileName = `moving.${mimeType.split('/')[1]}`
    const file = await upload(world, bytes, { fileName, altText: name, mimeType })
    const content = text()
    const channelIds = [world.mastodon.id, world.bluesky.id]
    const { id } = await world.herald.posts.create({ content, channelIds, mediaIds: [file.id] })
    await published(world, id)
    expect(await liveFiles(world, world.mastodon, content)).toMatchObject([
      { sha256: sha256(bytes), altText: name },
    ])
    expect(await liveFiles(world, world.bluesky, content)).toMatchObject([
      { mimeType: onBluesky, altText: name },
    ])
  })
})

describe.each(['MASTODON', 'BLUESKY'] as const)('on %s', (platform) => {
  test.for([
    ['drop_before', 'did not arrive'],
    ['error_before', 'was refused by a broken platform'],
    ['drop_after', 'arrived without an answer'],
  ])(
    'an upload with %s, that %s, is made again, the others are not, and the post is live once',
    async ([kind = ''], { world }) => {
      const channel = await connect(world, platform)
      const files = await Promise.all(
        [1, 2, 3].map((seed) => upload(world, picture(30 + seed, 20, seed))),
      )
      const { account } = channel
      await world.sandbox.fault({ platform, account, kind, times: 1, on: 'media' })
      const content = text()
      const mediaIds = files.map(({ id }) => id)
      const { id } = await world.herald.posts.create({
        content,
        channelIds: [channel.id],
        mediaIds,
      })
      await published(world, id)
      const widths = (await liveFiles(world, channel, content)).map(({ width }) => width)
      expect(widths).toEqual([31, 32, 33])
      const uploads = await world.sandbox.uploads(channel)
      expect(uploads.map(({ applied }) => applied)).toEqual([
        kind === 'drop_after',
        true,
        true,
        true,
      ])
      expect(await world.sandbox.requests(channel)).toHaveLength(1)
    },
  )
})

describe('a file', () => {
  test('is not deleted while a post waits for it, and can be when the post is live', async ({
    world,
  }) => {
    const { herald } = world
    const file = await upload(world, picture(9, 9))
    const content = text()
    const { id } = await herald.posts.create({
      content,
      channelIds: [world.mastodon.id],
      mediaIds: [file.id],
      publishAt: new Date(Date.now() + 2_000).toISOString(),
    })
    const refusal: unknown = await herald.media.remove(file.id).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(Conflict)
    expect(refusal).toMatchObject({ status: 409, details: { postId: id } })
    await published(world, id)
    const deleted = await eventually(() => herald.media.remove(file.id))
    expect(deleted).toEqual({ id: file.id, deleted: true })
    await expect(herald.media.get(file.id)).rejects.toBeInstanceOf(NotFound)
    expect((await fetch(file.url!)).status).toBe(404)
    expect(await liveFiles(world, world.mastodon, content)).toHaveLength(1)
  })

  test('is free again when its post is cancelled', async ({ world }) => {
    const { herald } = world
    const file = await upload(world, picture(9, 9))
    const { id } = await herald.posts.create({
      content: text(),
      channelIds: [world.mastodon.id],
      mediaIds: [file.id],
      publishAt: new Date(Date.now() + 3_600_000).toISOString(),
    })
    await expect(herald.media.remove(file.id)).rejects.toBeInstanceOf(Conflict)
    await herald.posts.remove(id)
    await eventually(() => herald.media.remove(file.id))
  })

  test('is described by itself after a while, and found by what the description says', async ({
    world,
  }) => {
    const { herald } = world
    const { id } = await upload(world, picture(320, 200))
    const { description } = await eventually(
      async () => {
        const file = await herald.media.get(id)
        expect(file.description).not.toBeNull()
        return file
      },
      { timeoutMs: 45_000 },
    )
    expect(description).toMatch(/^Landscape picture, 320 by 200 pixels/)
    const { data } = await herald.media.list({ q: 'LANDSCAPE 320' }).page()
    expect(data.map((file) => file.id)).toContain(id)
    expect((await herald.media.list({ q: `landscape ${text()}` }).page()).data).toEqual([])
  })
})
