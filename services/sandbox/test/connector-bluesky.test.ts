import { blueskyConnector as bluesky } from '@herald/platforms/bluesky/connector'
import type { PublishFile, PublishInput } from '@herald/platforms/platform'
import { expect, test } from 'vitest'
import { blueskyUser } from './bluesky.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { gif, mp4, png } from './media-bytes.ts'
import { aConvertedFile, aFile, aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

async function arrange(sandbox: TestSandbox, media: PublishFile[]) {
  const user = await blueskyUser(sandbox, 'ada')
  const { did: account, token, handle: username } = user
  const baseUrl = `${sandbox.url}/bluesky`
  return { user, input: aPublishInput({ baseUrl, token, account, username, media }) }
}

/** What Herald does of a post that goes well. */
async function publish(input: PublishInput) {
  const prepared = await bluesky.prepare(input)
  if (prepared.outcome !== 'ready') return prepared
  return await bluesky.commit({ ...input, step: prepared.step })
}

async function embedOf(user: Awaited<ReturnType<typeof blueskyUser>>, uri: string) {
  return (await user.get(uri.split('/').at(-1) ?? '')).body.value.embed
}

test('four pictures arrive in their order, each with its bytes, shape and alt text', async () => {
  await using sandbox = await testSandbox()
  const pictures = [1, 2, 3, 4].map((index) => png(10 * index, 20, 100 + index))
  const media = pictures.map((bytes, index) =>
    aFile(`med_${index}`, 'image', bytes, {
      altText: index === 2 ? null : `Bild „${index}“ 🎉`,
      image: async () => ({ bytes, mimeType: 'image/png', width: 10 * (index + 1), height: 20 }),
    }),
  )
  const { user, input } = await arrange(sandbox, media)
  expect(await publish(input)).toMatchObject({ outcome: 'published' })
  const [live, ...others] = await sandbox.live()
  expect(others).toEqual([])
  const altText = (index: number) => (index === 2 ? '' : `Bild „${index}“ 🎉`)
  expect(live).toMatchObject({
    text: 'Look',
    media: pictures.map((bytes, index) => ({
      mimeType: 'image/png',
      sha256: sha256(bytes),
      width: 10 * (index + 1),
      height: 20,
      altText: altText(index),
    })),
  })
  expect(await embedOf(user, live.id)).toMatchObject({
    $type: 'app.bsky.embed.images',
    images: pictures.map((_, index) => ({
      alt: altText(index),
      aspectRatio: { width: 10 * (index + 1), height: 20 },
    })),
  })
})

test.each(['image', 'gif'] as const)(
  'a large file of the type %s is sent as the picture it was made into',
  async (type) => {
    await using sandbox = await testSandbox()
    const bytes = png(2000, 1000, 1_000_000)
    const converted = { bytes, mimeType: 'image/png', width: 2000, height: 1000 }
    const { file, asked } = aConvertedFile('med_1', converted)
    const { user, input } = await arrange(sandbox, [{ ...file, type }])
    const outcome = await publish(input)
    if (outcome.outcome !== 'published') throw new Error(outcome.message)
    expect(asked).toEqual([
      {
        mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
        maxBytes: 1_000_000,
        maxWidth: 2000,
        maxHeight: 2000,
      },
    ])
    expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(bytes) }] }])
    expect(await embedOf(user, outcome.platformPostId)).toMatchObject({
      images: [{ aspectRatio: { width: 2000, height: 1000 } }],
    })
  },
)

test('a video arrives as it is, with its shape and alt text, and its post needs no text', async () => {
  await using sandbox = await testSandbox()
  const bytes = mp4({ width: 1280, height: 720, length: 5_000_000 })
  const video = aFile('med_1', 'video', bytes, { width: 1280, height: 720, altText: 'A video' })
  const { user, input } = await arrange(sandbox, [video])
  const outcome = await publish({ ...input, text: '' })
  if (outcome.outcome !== 'published') throw new Error(outcome.message)
  expect(await sandbox.live()).toMatchObject([
    { text: '', media: [{ mimeType: 'video/mp4', sha256: sha256(bytes), altText: 'A video' }] },
  ])
  expect(await embedOf(user, outcome.platformPostId)).toMatchObject({
    $type: 'app.bsky.embed.video',
    alt: 'A video',
    aspectRatio: { width: 1280, height: 720 },
  })
})

test('a video of which neither shape nor alt text is known goes without them', async () => {
  await using sandbox = await testSandbox()
  const { user, input } = await arrange(sandbox, [aFile('med_1', 'video', mp4())])
  const outcome = await publish(input)
  if (outcome.outcome !== 'published') throw new Error(outcome.message)
  const embed = await embedOf(user, outcome.platformPostId)
  expect(Object.keys(embed).toSorted()).toEqual(['$type', 'video'])
})

test('an upload that is cut off half way is made again, and those before it are not', async () => {
  await using sandbox = await testSandbox()
  const large = png(8, 6, 900_000)
  const media = [
    aFile('med_1', 'image', png()),
    aFile('med_2', 'image', large, {
      image: async () => ({ bytes: large, mimeType: 'image/png', width: 8, height: 6 }),
    }),
  ]
  const { input } = await arrange(sandbox, media)
  await using proxy = await cuttingProxy(input.baseUrl, 400_000)
  let step: Record<string, unknown> = {}
  const cut = await bluesky.prepare({
    ...input,
    baseUrl: proxy.url,
    onStep: async (done) => {
      step = structuredClone(done)
    },
  })
  expect(cut).toMatchObject({ outcome: 'transient' })
  expect(step).toMatchObject({ mentions: {}, files: { med_1: { width: 40, height: 30 } } })
  expect(await sandbox.live()).toEqual([])
  proxy.heal()
  const asked: string[] = []
  const prepared = await bluesky.prepare({
    ...input,
    media: media.map((file) => ({
      ...file,
      image: (limits) => {
        asked.push(file.id)
        return file.image(limits)
      },
    })),
    baseUrl: proxy.url,
    step,
  })
  expect(asked).toEqual(['med_2'])
  if (prepared.outcome !== 'ready') throw new Error(prepared.message)
  expect(await bluesky.commit({ ...input, step: prepared.step })).toMatchObject({
    outcome: 'published',
  })
  expect(await sandbox.live()).toMatchObject([
    { media: [{ sizeBytes: 64 }, { sha256: sha256(large) }] },
  ])
})

test.each(['drop_before', 'drop_after', 'error_before', 'malformed'])(
  'an upload that meets %s leaves nothing live, and is tried again',
  async (kind) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
    await sandbox.fault({ platform: 'BLUESKY', kind, times: 1, on: 'media' })
    expect(await publish(input)).toMatchObject({ outcome: 'transient' })
    expect(await sandbox.live()).toEqual([])
    expect(await publish(input)).toMatchObject({ outcome: 'published' })
    expect((await sandbox.live()).length).toBe(1)
  },
)

test.each([
  ['rate_limit', { outcome: 'rate_limited', retryAt: expect.any(Number) }],
  ['auth_expired', { outcome: 'reauth' }],
])('an upload that meets %s says so', async (kind, outcome) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
  await sandbox.fault({ platform: 'BLUESKY', kind, times: 1, on: 'media' })
  expect(await publish(input)).toMatchObject(outcome)
})

test.each([
  ['larger than the server takes', mp4({ length: 50 * 1024 * 1024 + 1 })],
  ['no video but an animated GIF', gif()],
])('a video that is %s fails for good', async (_, bytes) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'video', bytes)])
  expect(await publish(input)).toMatchObject({ outcome: 'permanent', errorCode: 'media_unfit' })
  expect(await sandbox.live()).toEqual([])
})

test('a post whose upload the server has lost is prepared again', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
  const ref = { $link: `bafkrei${'a'.repeat(52)}` }
  const blob = { $type: 'blob', ref, mimeType: 'image/png', size: 64 }
  const step = { mentions: {}, files: { med_1: { blob, width: 4, height: 3 } } }
  expect(await bluesky.commit({ ...input, step })).toMatchObject({
    outcome: 'unprepared',
  })
  expect(await publish(input)).toMatchObject({ outcome: 'published' })
})

test('a post with pictures is found after its call was cut off, and is made but once', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
  const prepared = await bluesky.prepare(input)
  if (prepared.outcome !== 'ready') throw new Error(prepared.message)
  const call = { ...input, step: prepared.step, calledAt: new Date().toISOString() }
  expect(await bluesky.lookUp(call)).toEqual({ absent: true })
  await sandbox.fault({ platform: 'BLUESKY', kind: 'drop_after', times: 1 })
  expect(await bluesky.commit(call)).toMatchObject({ outcome: 'unknown' })
  const [live] = await sandbox.live()
  expect(await bluesky.lookUp(call)).toMatchObject({
    found: { platformPostId: live.id, url: live.url },
  })
  await bluesky.commit(call)
  expect((await sandbox.live()).length).toBe(1)
})
