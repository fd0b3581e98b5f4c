import { expect, test } from 'vitest'
import { mastodonUser } from './mastodon.ts'
import { brokenMp4, gif, mp4, png } from './media-bytes.ts'
import { testSandbox } from './sandbox.ts'

test('an image is ready at once, and its post shows it with its text', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const uploaded = await user.upload(png(40, 30), 'A picture')
  expect(uploaded.status).toBe(200)
  expect(uploaded.body).toMatchObject({
    type: 'image',
    description: 'A picture',
    meta: { original: { width: 40, height: 30 } },
  })
  const posted = await user.post({ status: 'Look', media_ids: [uploaded.body.id] })
  expect(posted.body.media_attachments).toEqual([uploaded.body])
  const [live] = await sandbox.live()
  expect(live.media).toEqual([
    {
      mimeType: 'image/png',
      sizeBytes: 64,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      width: 40,
      height: 30,
      altText: 'A picture',
      url: uploaded.body.url,
    },
  ])
  const file = await fetch(uploaded.body.url)
  expect(Buffer.from(await file.arrayBuffer())).toEqual(png(40, 30))
})

test.each([
  ['a video', mp4(), 'video'],
  ['a GIF', gif(), 'gifv'],
])('%s is processed first, and cannot be posted until it is', async (_, bytes, type) => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const uploaded = await user.upload(bytes)
  expect(uploaded).toMatchObject({ status: 202, body: { type, url: null } })
  const path = `/api/v1/media/${uploaded.body.id}`
  expect((await user.ask('GET', path)).status).toBe(206)
  const early = await user.post({ media_ids: [uploaded.body.id] })
  expect(early.status).toBe(422)
  expect(early.body).toEqual({
    error: 'Cannot attach files that have not finished processing. Try again in a moment!',
  })
  await sandbox.advance(2)
  expect(await user.ask('GET', path)).toMatchObject({
    status: 200,
    body: { url: expect.any(String) },
  })
  expect((await user.post({ media_ids: [uploaded.body.id] })).status).toBe(200)
  expect((await user.ask('GET', path)).status).toBe(404)
})

test('a description can be changed until the file is attached', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const { id } = (await user.upload(png())).body
  const path = `/api/v1/media/${id}`
  const changed = await user.ask('PUT', path, { description: 'x'.repeat(1500) })
  expect(changed).toMatchObject({ status: 200, body: { description: 'x'.repeat(1500) } })
  expect((await user.ask('PUT', path, { description: 'x'.repeat(1501) })).body).toEqual({
    error: 'Validation failed: Description is too long (maximum is 1500 characters)',
  })
  await user.post({ status: 'x', media_ids: [id] })
  expect((await user.ask('PUT', path, { description: 'late' })).status).toBe(404)
})

test('an image must be smaller than 16 MB and have no more than 33,177,600 pixels', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const limit = 16 * 1024 * 1024
  expect((await user.upload(png(7680, 4320, limit - 1))).status).toBe(200)
  expect(await user.upload(png(10, 10, limit))).toMatchObject({
    status: 422,
    body: {
      error:
        'Validation failed: File file size must be less than 16 MB, File must be less than 16 MB',
    },
  })
  expect(await user.upload(png(7681, 4320))).toMatchObject({
    status: 422,
    body: { error: '7681x4320 images are not supported' },
  })
})

test('a GIF must be smaller than 16 MB, and 1280 by 720 pixels are the most', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  expect((await user.upload(gif(1280, 720))).status).toBe(202)
  expect(await user.upload(gif(1281, 720))).toMatchObject({
    status: 422,
    body: { error: '1281x720 images are not supported' },
  })
  expect((await user.upload(gif(4, 3, 16 * 1024 * 1024))).status).toBe(422)
})

test('a video has at most 3840 by 2160 pixels, and its size is told', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  expect(await user.upload(mp4({ width: 3840, height: 2160 }))).toMatchObject({
    status: 202,
    body: { meta: { original: { width: 3840, height: 2160 } } },
  })
  expect(await user.upload(mp4({ width: 3841, height: 2160 }))).toMatchObject({
    status: 422,
    body: { error: '3841x2160 videos are not supported' },
  })
})

test('a video that cannot be processed is told so in the end, and no post takes it', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const uploaded = await user.upload(brokenMp4())
  expect(uploaded.status).toBe(202)
  const path = `/api/v1/media/${uploaded.body.id}`
  expect((await user.ask('GET', path)).status).toBe(206)
  await sandbox.advance(2)
  expect(await user.ask('GET', path)).toMatchObject({
    status: 422,
    body: { error: 'Error processing thumbnail for uploaded media' },
  })
  expect((await user.post({ media_ids: [uploaded.body.id] })).status).toBe(422)
})

test('a file that no post has taken within a day is gone; one that a post has stays', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const [kept, lost] = [(await user.upload(png())).body, (await user.upload(png())).body]
  await user.post({ media_ids: [kept.id] })
  await sandbox.advance(86_400)
  expect((await user.ask('GET', `/api/v1/media/${lost.id}`)).status).toBe(404)
  expect((await user.post({ status: 'Late', media_ids: [lost.id] })).body).toEqual({
    error: `Media ${lost.id} not found or already attached to another post`,
  })
  expect((await fetch(kept.url)).status).toBe(200)
})

test('a request of more than 99 MB is refused by the web server in front', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  expect((await user.upload(mp4({ length: 99 * 1024 * 1024 }))).status).toBe(413)
})

test('a file is what its bytes say, and only known types are taken', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const invalid = { error: 'Validation failed: File content type is invalid, File is invalid' }
  expect(await user.upload(Buffer.from('%PDF-1.7'))).toMatchObject({ status: 422, body: invalid })
  expect(await user.upload(Buffer.from('just text'))).toMatchObject({ status: 422, body: invalid })
  expect((await user.ask('POST', '/api/v2/media', new FormData())).body).toEqual({
    error: "Validation failed: File can't be blank",
  })
})

test('a post takes four images, or one of anything else alone', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  const ids: string[] = []
  for (let index = 0; index < 5; index++) ids.push((await user.upload(png())).body.id)
  expect(await user.post({ media_ids: ids })).toMatchObject({
    status: 422,
    body: { error: 'Cannot attach more than 4 files' },
  })
  const video = (await user.upload(mp4())).body.id
  await sandbox.advance(2)
  expect(await user.post({ media_ids: [video, ids[0]] })).toMatchObject({
    status: 422,
    body: { error: 'Cannot attach a video to a post that already contains images' },
  })
  expect((await user.post({ media_ids: ids.slice(0, 4) })).status).toBe(200)
})

test("another account's file, and one that is posted already, are not found", async () => {
  await using sandbox = await testSandbox()
  const [user, other] = [await mastodonUser(sandbox), await mastodonUser(sandbox)]
  const { id } = (await user.upload(png())).body
  const missing = { error: `Media ${id} not found or already attached to another post` }
  expect((await other.post({ status: 'x', media_ids: [id] })).body).toEqual(missing)
  expect((await other.ask('GET', `/api/v1/media/${id}`)).status).toBe(404)
  await user.post({ status: 'x', media_ids: [id] })
  expect((await user.post({ status: 'y', media_ids: [id] })).body).toEqual(missing)
})

test('the 31st upload in half an hour is refused', async () => {
  await using sandbox = await testSandbox()
  const user = await mastodonUser(sandbox)
  for (let index = 1; index <= 30; index++) expect((await user.upload(png())).status).toBe(200)
  const refused = await user.upload(png())
  expect(refused.status).toBe(429)
  expect(refused.headers.get('x-ratelimit-limit')).toBe('30')
})
