import { expect, test } from 'vitest'
import { blueskyUser } from './bluesky.ts'
import { mp4, png } from './media-bytes.ts'
import { testSandbox } from './sandbox.ts'

const images = (...blobs: unknown[]) => ({
  embed: { $type: 'app.bsky.embed.images', images: blobs.map((image) => ({ image, alt: 'Alt' })) },
})

test('an uploaded image is known by its content and shown with its post', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  const { body } = await user.upload(png(40, 30), 'text/plain')
  expect(body.blob).toEqual({
    $type: 'blob',
    ref: { $link: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/) },
    mimeType: 'image/png',
    size: 64,
  })
  expect((await user.upload(png(40, 30))).body).toEqual(body)
  expect((await user.post('Look', images(body.blob))).status).toBe(200)
  const [live] = await sandbox.live()
  expect(live.media).toEqual([
    {
      mimeType: 'image/png',
      sizeBytes: 64,
      width: 40,
      height: 30,
      altText: 'Alt',
      url: expect.stringContaining(body.blob.ref.$link),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ])
})

test('four images are taken, and five are not', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  const { blob } = (await user.upload(png())).body
  expect((await user.post('4', images(blob, blob, blob, blob))).status).toBe(200)
  const refused = await user.post('5', images(blob, blob, blob, blob, blob))
  expect(refused).toMatchObject({ status: 400, body: { error: 'InvalidRequest' } })
  expect(refused.body.message).toBe('array too big (maximum 4, got 5) at $.record.embed.images')
})

test('an image of 1,000,000 bytes is taken, and one byte more is not when a post refers to it', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  const fits = (await user.upload(png(1, 1, 1_000_000))).body.blob
  expect((await user.post('Fits', images(fits))).status).toBe(200)
  const large = await user.upload(png(1, 1, 1_000_001))
  expect(large.status).toBe(200)
  expect(await user.post('Large', images(large.body.blob))).toMatchObject({
    status: 400,
    body: {
      error: 'BlobTooLarge',
      message: 'This file is too large. It is 976.56KB but the maximum size is 976.56KB.',
    },
  })
  expect((await sandbox.live()).length).toBe(1)
})

test('a file of 50 MB is taken, and one byte more is not', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  const limit = 50 * 1024 * 1024
  expect((await user.upload(mp4({ length: limit }))).status).toBe(200)
  expect(await user.upload(mp4({ length: limit + 1 }))).toMatchObject({
    status: 413,
    body: { error: 'PayloadTooLarge' },
  })
})

test("a file that was not uploaded, and another account's, are not found", async () => {
  await using sandbox = await testSandbox()
  const [user, other] = [await blueskyUser(sandbox), await blueskyUser(sandbox)]
  const { blob } = (await other.upload(png())).body
  expect(await user.post('x', images(blob))).toMatchObject({
    status: 400,
    body: { error: 'BlobNotFound', message: `Could not find blob: ${blob.ref.$link}` },
  })
})

test('a file must be what the post says and what its place takes', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  const image = (await user.upload(png())).body.blob
  const video = (await user.upload(mp4())).body.blob
  expect((await user.post('x', images({ ...image, mimeType: 'image/jpeg' }))).body).toEqual({
    error: 'InvalidMimeType',
    message: 'Referenced Mimetype does not match stored blob. Expected: image/png, Got: image/jpeg',
  })
  expect((await user.post('x', images({ ...image, size: 1 }))).body.error).toBe('InvalidSize')
  expect((await user.post('x', images(video))).body).toEqual({
    error: 'InvalidMimeType',
    message: 'Wrong type of file. It is video/mp4 but it must match any of: "image/*".',
  })
  const embed = { $type: 'app.bsky.embed.video', video, alt: 'Film' }
  expect((await user.post('Film', { embed })).status).toBe(200)
})

test('an image without an alternative text is refused', async () => {
  await using sandbox = await testSandbox()
  const user = await blueskyUser(sandbox)
  const image = (await user.upload(png())).body.blob
  const embed = { $type: 'app.bsky.embed.images', images: [{ image }] }
  expect((await user.post('x', { embed })).body.message).toBe(
    'Missing required key "alt" at $.record.embed.images[0]',
  )
})
