import { mastodonConnector as mastodon } from '@herald/platforms/mastodon/connector'
import type { LookUpInput, PublishFile, PublishInput } from '@herald/platforms/platform'
import { expect, test } from 'vitest'
import { cuttingProxy } from './cutting-proxy.ts'
import { mastodonUser } from './mastodon.ts'
import { brokenMp4, gif, mp4, png } from './media-bytes.ts'
import { aConvertedFile, aFile, aPublishInput, sha256 } from './publish-file.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

async function arrange(sandbox: TestSandbox, media: PublishFile[]) {
  const user = await mastodonUser(sandbox, 'ada')
  const { account, token } = user
  const baseUrl = `${sandbox.url}/mastodon`
  return { user, input: aPublishInput({ baseUrl, token, account, media }) }
}

/** What Herald does of a post that goes well. */
async function publish(input: PublishInput) {
  const prepared = await mastodon.prepare(input)
  if (prepared.outcome !== 'ready') return prepared
  return await mastodon.commit({ ...input, step: prepared.step })
}

function lookUpInput(input: PublishInput, step: Record<string, unknown>): LookUpInput {
  return { ...input, step, calledAt: new Date().toISOString() }
}

test('four pictures arrive in their order, each with its bytes, size and alt text', async () => {
  await using sandbox = await testSandbox()
  const pictures = [1, 2, 3, 4].map((index) => png(10 * index, 20, 100 + index))
  const media = pictures.map((bytes, index) =>
    aFile(`med_${index}`, 'image', bytes, {
      altText: index === 2 ? null : `Bild „${index}“\r\n🎉`,
    }),
  )
  const { input } = await arrange(sandbox, media)
  expect(await publish(input)).toMatchObject({ outcome: 'published' })
  const [live, ...others] = await sandbox.live()
  expect(others).toEqual([])
  expect(live).toMatchObject({
    text: 'Look',
    media: pictures.map((bytes, index) => ({
      mimeType: 'image/png',
      sha256: sha256(bytes),
      width: 10 * (index + 1),
      height: 20,
      altText: index === 2 ? null : expect.stringContaining(`Bild „${index}“`),
    })),
  })
})

test('a picture is sent as what it was made into for the limits of the instance', async () => {
  await using sandbox = await testSandbox()
  const bytes = png(7000, 4700, 3000)
  const { file, asked } = aConvertedFile('med_1', {
    bytes,
    mimeType: 'image/png',
    width: 7000,
    height: 4700,
  })
  const { input } = await arrange(sandbox, [file])
  expect(await publish(input)).toMatchObject({ outcome: 'published' })
  expect(asked).toEqual([
    {
      mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
      maxBytes: 16 * 1024 * 1024 - 1,
      maxPixels: 33_177_600,
    },
  ])
  expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(bytes), width: 7000 }] }])
})

test.each([
  ['a video', aFile('med_1', 'video', mp4({ length: 3_000_000 }), { altText: 'A video' })],
  ['an animated GIF', aFile('med_1', 'gif', gif(), { altText: 'A video' })],
])('%s is waited for until it is processed, and its post needs no text', async (_, file) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [file])
  const kept: unknown[] = []
  const prepared = await mastodon.prepare({
    ...input,
    text: '',
    onStep: async (step) => {
      kept.push(structuredClone(step))
      await sandbox.advance(2)
    },
  })
  const upload = (isProcessed: boolean) => ({
    uploads: { med_1: { id: expect.any(String), isProcessed } },
  })
  expect(kept).toEqual([upload(false), upload(true)])
  expect(prepared).toEqual({ outcome: 'ready', step: upload(true) })
  if (prepared.outcome !== 'ready') return
  const outcome = await mastodon.commit({ ...input, text: '', step: prepared.step })
  expect(outcome).toMatchObject({ outcome: 'published' })
  const bytes = Buffer.concat(await (await file.open()).toArray())
  expect(await sandbox.live()).toMatchObject([
    { text: '', media: [{ sha256: sha256(bytes), altText: 'A video' }] },
  ])
})

test('a video that is still being processed when the time is over is waited for by the next call', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'video', mp4())])
  let step: Record<string, unknown> = {}
  const stop = new AbortController()
  const early = await mastodon.prepare({
    ...input,
    signal: stop.signal,
    onStep: async (done) => {
      step = structuredClone(done)
      stop.abort()
    },
  })
  expect(early).toMatchObject({ outcome: 'transient' })
  await sandbox.advance(2)
  const later = await mastodon.prepare({ ...input, step })
  expect(later).toMatchObject({ outcome: 'ready', step: { uploads: { med_1: idOf(step) } } })
})

function idOf(step: Record<string, unknown>) {
  const { uploads } = step as { uploads: { med_1: { id: string } } }
  return { id: uploads.med_1.id, isProcessed: true }
}

test('a video that the instance cannot process is the end of its post', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'video', brokenMp4())])
  const prepared = await mastodon.prepare({
    ...input,
    onStep: async () => void (await sandbox.advance(2)),
  })
  expect(prepared).toMatchObject({ outcome: 'permanent', errorCode: 'media_unfit' })
  expect(await sandbox.live()).toEqual([])
})

test('an upload that is cut off half way is made again, and those before it are not', async () => {
  await using sandbox = await testSandbox()
  const large = png(8, 6, 2_000_000)
  const media = [aFile('med_1', 'image', png()), aFile('med_2', 'image', large)]
  const { input } = await arrange(sandbox, media)
  await using proxy = await cuttingProxy(input.baseUrl, 1_000_000)
  let step: Record<string, unknown> = {}
  const onStep = async (done: Record<string, unknown>) => {
    step = structuredClone(done)
  }
  const cut = await mastodon.prepare({ ...input, baseUrl: proxy.url, onStep })
  expect(cut).toMatchObject({ outcome: 'transient' })
  expect(step).toEqual({ uploads: { med_1: { id: expect.any(String), isProcessed: true } } })
  expect(await sandbox.live()).toEqual([])
  proxy.heal()
  const prepared = await mastodon.prepare({ ...input, baseUrl: proxy.url, step })
  expect(prepared).toMatchObject({ outcome: 'ready', step })
  if (prepared.outcome !== 'ready') return
  expect(await mastodon.commit({ ...input, step: prepared.step })).toMatchObject({
    outcome: 'published',
  })
  expect(await sandbox.live()).toMatchObject([
    { media: [{ sha256: sha256(png()) }, { sha256: sha256(large) }] },
  ])
})

test.each(['drop_before', 'drop_after', 'error_before', 'malformed'])(
  'an upload that meets %s leaves nothing live, and is tried again',
  async (kind) => {
    await using sandbox = await testSandbox()
    const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
    await sandbox.fault({ platform: 'MASTODON', kind, times: 1, on: 'media' })
    expect(await publish(input)).toMatchObject({ outcome: 'transient' })
    expect(await sandbox.live()).toEqual([])
    expect(await publish(input)).toMatchObject({ outcome: 'published' })
    expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(png()) }] }])
  },
)

test.each([
  ['rate_limit', { outcome: 'rate_limited', retryAt: expect.any(Number) }],
  ['auth_expired', { outcome: 'reauth' }],
])('an upload that meets %s says so', async (kind, outcome) => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
  await sandbox.fault({ platform: 'MASTODON', kind, times: 1, on: 'media' })
  expect(await publish(input)).toMatchObject(outcome)
})

test('a post whose upload has expired fails for good', async () => {
  await using sandbox = await testSandbox()
  const { input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
  const prepared = await mastodon.prepare(input)
  if (prepared.outcome !== 'ready') throw new Error(prepared.message)
  await sandbox.advance(86_400)
  const outcome = await mastodon.commit({ ...input, step: prepared.step })
  expect(outcome).toMatchObject({ outcome: 'permanent', errorCode: 'media_missing' })
  expect(await sandbox.live()).toEqual([])
})

test('an alt text that is too long for the instance fails for good', async () => {
  await using sandbox = await testSandbox()
  const altText = 'x'.repeat(1501)
  const { input } = await arrange(sandbox, [aFile('med_1', 'image', png(), { altText })])
  expect(await publish(input)).toMatchObject({
    outcome: 'permanent',
    errorCode: 'alt_text_too_long',
  })
})

test('a post that is marked as sensitive has its pictures covered', async () => {
  await using sandbox = await testSandbox()
  const { user, input } = await arrange(sandbox, [aFile('med_1', 'image', png())])
  const outcome = await publish({ ...input, options: { sensitive: true } })
  if (outcome.outcome !== 'published') throw new Error(outcome.message)
  const { body } = await user.ask('GET', `/api/v1/statuses/${outcome.platformPostId}`)
  expect(body).toMatchObject({ sensitive: true, media_attachments: [{ type: 'image' }] })
})

test.each(['Look', ''])(
  'a post with the text "%s" and pictures is found after its call was cut off',
  async (text) => {
    await using sandbox = await testSandbox()
    const arranged = await arrange(sandbox, [aFile('med_1', 'image', png())])
    const input = { ...arranged.input, text }
    const prepared = await mastodon.prepare(input)
    if (prepared.outcome !== 'ready') throw new Error(prepared.message)
    const { step } = prepared
    expect(await mastodon.lookUp(lookUpInput(input, step))).toEqual({ absent: true })
    await sandbox.fault({ platform: 'MASTODON', kind: 'drop_after', times: 1 })
    expect(await mastodon.commit({ ...input, step })).toMatchObject({ outcome: 'unknown' })
    const [live] = await sandbox.live()
    expect(await mastodon.lookUp(lookUpInput(input, step))).toMatchObject({
      found: { platformPostId: live.id, url: live.url },
    })
    // The same key again is answered with the same post.
    expect(await mastodon.commit({ ...input, step })).toMatchObject({ platformPostId: live.id })
    expect((await sandbox.live()).length).toBe(1)
  },
)

test("another post's pictures without a text are not taken for those that were sent", async () => {
  await using sandbox = await testSandbox()
  const arranged = await arrange(sandbox, [aFile('med_1', 'image', png())])
  const input = { ...arranged.input, text: '' }
  const prepared = await mastodon.prepare(input)
  if (prepared.outcome !== 'ready') throw new Error(prepared.message)
  const { id } = (await arranged.user.upload(png())).body
  await arranged.user.post({ media_ids: [id] })
  expect(await mastodon.lookUp(lookUpInput(input, prepared.step))).toHaveProperty('cannotTell')
})
