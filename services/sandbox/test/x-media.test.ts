import { expect, test } from 'vitest'
import { brokenMp4, gif, mp4, png } from './media-bytes.ts'
import { testSandbox } from './sandbox.ts'
import { xUser } from './x.ts'

test('a picture is ready as soon as it is whole, and a post has it with its alt text', async () => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  const uploaded = await user.upload(png(40, 30))
  expect(uploaded).toMatchObject({
    status: 200,
    body: { data: { size: 64, expires_after_secs: 86_400 } },
  })
  const { id, media_key: key, processing_info: info } = uploaded.body.data
  expect([key, info]).toEqual([`3_${id}`, undefined])
  const described = await user.ask('POST', '/2/media/metadata', {
    id,
    metadata: { alt_text: { text: 'A boat' } },
  })
  expect(described.body).toEqual({
    data: { id, associated_metadata: { alt_text: { text: 'A boat' } } },
  })
  const posted = await user.post({ media: { media_ids: [id] } })
  expect(posted.status).toBe(201)
  const path = `/2/tweets/${posted.body.data.id}?tweet.fields=attachments`
  expect((await user.ask('GET', path)).body.data.attachments).toEqual({ media_keys: [key] })
  const [live] = await sandbox.live()
  expect(live.media).toMatchObject([
    { mimeType: 'image/png', sizeBytes: 64, width: 40, altText: 'A boat' },
  ])
  const file = await fetch(live.media[0].url)
  expect(Buffer.from(await file.arrayBuffer())).toEqual(png(40, 30))
})

test('a picture can be sent in one call', async () => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  const form = new FormData()
  form.set('media', new Blob([Buffer.from(png())]), 'a.png')
  form.set('media_category', 'tweet_image')
  form.set('media_type', 'image/png')
  const sent = await user.ask('POST', '/2/media/upload', form)
  expect(sent).toMatchObject({ status: 200, body: { data: { id: expect.any(String) } } })
  const inJson = { media: png().toString('base64'), media_category: 'tweet_image' }
  expect((await user.ask('POST', '/2/media/upload', inJson)).status).toBe(200)
  const media_ids = [sent.body.data.id]
  expect((await user.post({ text: 'x', media: { media_ids } })).status).toBe(201)
})

test('the parts of a video may come in any order, and are put together by their index', async () => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  const bytes = mp4({ length: 3000 })
  const { id } = (await user.begin('video/mp4', 'tweet_video', bytes.length)).body.data
  await user.append(id, 2, bytes.subarray(2000))
  await user.append(id, 0, bytes.subarray(0, 1000))
  const early = await user.finalize(id)
  expect(early.body.errors[0].message).toBe('Segments do not add up to provided total file size.')
  await user.append(id, 1, bytes.subarray(1000, 2000))
  expect((await user.finalize(id)).body.data.processing_info).toEqual({
    state: 'pending',
    check_after_secs: 1,
  })
  await sandbox.advance(2)
  await user.post({ media: { media_ids: [id] } })
  const [live] = await sandbox.live()
  expect(Buffer.from(await (await fetch(live.media[0].url)).arrayBuffer())).toEqual(bytes)
})

test.each([
  ['a video', mp4(), 'video/mp4', 'tweet_video'],
  ['a GIF', gif(), 'image/gif', 'tweet_gif'],
])('%s is processed first, and cannot be posted until it is', async (_, bytes, type, category) => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  const { id } = (await user.upload(bytes, type, category)).body.data
  const status = async () => {
    const path = `/2/media/upload?command=STATUS&media_id=${id}`
    return (await user.ask('GET', path)).body.data.processing_info
  }
  expect(await status()).toMatchObject({ state: 'in_progress', check_after_secs: 1 })
  expect((await user.post({ text: 'x', media: { media_ids: [id] } })).status).toBe(400)
  await sandbox.advance(2)
  expect(await status()).toEqual({ state: 'succeeded', progress_percent: 100 })
  expect((await user.post({ text: 'x', media: { media_ids: [id] } })).status).toBe(201)
})

test.each([
  ['a video that holds none', brokenMp4(), 'video/mp4', 'tweet_video'],
  ['a video that is too wide', mp4({ width: 400, height: 100 }), 'video/mp4', 'tweet_video'],
  ['a text that is called a video', Buffer.from('text'), 'video/mp4', 'tweet_video'],
  ['a GIF that is too wide', gif(1281, 10), 'image/gif', 'tweet_gif'],
])('%s fails to be processed, and no post takes it', async (_, bytes, type, category) => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  const { id } = (await user.upload(bytes, type, category)).body.data
  await sandbox.advance(2)
  const { body } = await user.ask('GET', `/2/media/upload?command=STATUS&media_id=${id}`)
  expect(body.data.processing_info).toMatchObject({
    state: 'failed',
    error: { name: 'InvalidMedia' },
  })
  expect((await user.post({ text: 'x', media: { media_ids: [id] } })).status).toBe(400)
})

test.each<[string, string, string, number]>([
  ['a picture of more than 5 MB', 'image/png', 'tweet_image', 5 * 1024 * 1024 + 1],
  ['a GIF of more than 15 MB', 'image/gif', 'tweet_gif', 15 * 1024 * 1024 + 1],
  ['a video of more than 512 MB', 'video/mp4', 'tweet_video', 512 * 1024 * 1024 + 1],
  ['nothing', 'image/png', 'tweet_image', 0],
  ['a document', 'application/pdf', 'tweet_image', 100],
  ['a video as a picture', 'video/mp4', 'tweet_image', 100],
  ['a category that there is not', 'image/png', 'tweet_document', 100],
])('%s is refused before it is sent', async (_, type, category, bytes) => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  expect(await user.begin(type, category, bytes)).toMatchObject({
    status: 400,
    body: { type: 'https://api.x.com/2/problems/invalid-request' },
  })
})

test('a part needs an index of at most 999, bytes, room, and an upload of the same account that is open', async () => {
  await using sandbox = await testSandbox()
  const [user, other] = [await xUser(sandbox), await xUser(sandbox)]
  const { id } = (await user.begin('image/png', 'tweet_image', 64)).body.data
  expect((await user.append(id, 1000, png())).status).toBe(400)
  expect((await user.append(id, 'x', png())).status).toBe(400)
  expect((await user.append(id, 0, Buffer.alloc(0))).status).toBe(400)
  expect((await user.append(id, 0, Buffer.alloc(65))).status).toBe(400)
  expect((await other.append(id, 0, png())).status).toBe(404)
  expect((await user.append(id, 0, Buffer.alloc(6 * 1024 * 1024))).status).toBe(413)
  expect((await user.append(id, 0, png())).status).toBe(200)
  expect((await user.finalize(id)).status).toBe(200)
  expect((await user.append(id, 1, png())).status).toBe(400)
  expect((await user.finalize(id)).status).toBe(400)
})

test('an alt text has at most 1000 characters', async () => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  const { id } = (await user.upload(png())).body.data
  const describe = (text: string) =>
    user.ask('POST', '/2/media/metadata', { id, metadata: { alt_text: { text } } })
  expect((await describe('x'.repeat(1000))).status).toBe(200)
  expect((await describe('x'.repeat(1001))).status).toBe(400)
})

test('an upload is gone after a day', async () => {
  await using sandbox = await testSandbox()
  const { id } = (await (await xUser(sandbox, 'ada')).upload(png())).body.data
  await sandbox.advance(86_400)
  const user = await xUser(sandbox, 'ada')
  expect((await user.ask('GET', `/2/media/upload?media_id=${id}`)).status).toBe(404)
  expect((await user.post({ text: 'x', media: { media_ids: [id] } })).status).toBe(400)
})

test('a post takes four pictures, or one of anything else', async () => {
  await using sandbox = await testSandbox()
  const user = await xUser(sandbox)
  const ids: string[] = []
  for (let index = 0; index < 4; index++) ids.push((await user.upload(png())).body.data.id)
  const video = (await user.upload(mp4(), 'video/mp4', 'tweet_video')).body.data.id
  await sandbox.advance(2)
  expect((await user.post({ media: { media_ids: [video, ids[0]] } })).status).toBe(400)
  expect((await user.post({ media: { media_ids: ids } })).status).toBe(201)
})
