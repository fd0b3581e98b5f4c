import { expect, test } from 'vitest'
import { linkedinUser } from './linkedin.ts'
import { mp4, png } from './media-bytes.ts'
import { type Json, testSandbox } from './sandbox.ts'

const MB = 1024 * 1024

test('a post is answered with its id in a header and no body', async () => {
  await using sandbox = await testSandbox()
  const user = await linkedinUser(sandbox, 'ada')
  const posted = await user.post({
    commentary: 'Hello \\(all\\) #tag {hashtag|\\#|two} @[Ada](urn:li:person:1)',
  })
  expect([posted.status, posted.body]).toEqual([201, ''])
  const urn = posted.headers.get('x-restli-id')
  expect(urn).toMatch(/^urn:li:share:\d+$/)
  expect(Number(BigInt(urn!.split(':')[3]!) >> 22n)).toBe(Date.parse('2026-11-21T12:00:00Z'))
  expect(await sandbox.live()).toMatchObject([
    { id: urn, account: user.account, text: 'Hello (all) #tag #two Ada' },
  ])
})

test.each<[string, Record<string, unknown>, number, string]>([
  ['of 3001 characters', { commentary: 'x'.repeat(3001) }, 400, 'FIELD_LENGTH_TOO_LONG'],
  ['without text and content', { commentary: '' }, 400, 'MISSING_FIELD'],
  ['with a bracket that is not escaped', { commentary: 'a (b)' }, 400, 'INVALID_VALUE_FOR_FIELD'],
  ['that is a draft', { lifecycleState: 'DRAFT' }, 400, 'INVALID_VALUE_FOR_FIELD'],
  ['with a field that there is not', { text: 'x' }, 400, 'INVALID_VALUE_FOR_FIELD'],
  ['in the name of another', { author: 'urn:li:person:other' }, 403, 'ACCESS_DENIED'],
  [
    'with a picture that there is not',
    { content: { media: { id: 'urn:li:image:C4D' } } },
    400,
    'BAD_REQUEST',
  ],
  [
    'with one of several pictures',
    { content: { multiImage: { images: [{ id: 'urn:li:image:C4D' }] } } },
    400,
    'INVALID_VALUE_FOR_FIELD',
  ],
])('a post %s is refused', async (_, more, status, code) => {
  await using sandbox = await testSandbox()
  const user = await linkedinUser(sandbox)
  const refused = await user.post(more)
  expect(refused).toMatchObject({ status, body: { status, message: expect.any(String) } })
  expect(JSON.stringify(refused.body)).toContain(code)
  expect(await sandbox.live()).toEqual([])
})

test('a call names a version that is open, and the protocol', async () => {
  await using sandbox = await testSandbox()
  const user = await linkedinUser(sandbox)
  const withHeaders = (headers: Record<string, string>) =>
    user.ask('POST', '/rest/posts', user.aPost(), headers)
  const protocol = { 'x-restli-protocol-version': '2.0.0' }
  expect(await withHeaders(protocol)).toMatchObject({
    status: 400,
    body: { code: 'VERSION_MISSING' },
  })
  expect(await withHeaders({ ...protocol, 'linkedin-version': '202506' })).toMatchObject({
    status: 426,
    body: { code: 'NONEXISTENT_VERSION' },
  })
  expect((await withHeaders({ 'linkedin-version': '202609' })).status).toBe(400)
})

test('the same text again is a duplicate that names the first, for a day', async () => {
  await using sandbox = await testSandbox()
  const user = await linkedinUser(sandbox, 'ada')
  const urn = (await user.post()).headers.get('x-restli-id')
  expect(await user.post()).toMatchObject({
    status: 422,
    body: {
      message: `Content is a duplicate of ${urn}`,
      errorDetails: { inputErrors: [{ code: 'DUPLICATE_POST' }] },
    },
  })
  const page = await linkedinUser(sandbox, 'adapage')
  expect((await page.post()).status).toBe(201)
  await sandbox.advance(86_400)
  expect((await user.post()).status).toBe(201)
})

test("a page's posts can be listed, and those of a member cannot", async () => {
  await using sandbox = await testSandbox()
  const [user, page] = [await linkedinUser(sandbox, 'ada'), await linkedinUser(sandbox, 'adapage')]
  await page.post({ commentary: 'One' })
  await page.post({ commentary: 'Two' })
  const list = (author: string) =>
    user.ask(
      'GET',
      `/rest/posts?q=author&author=${encodeURIComponent(author)}&count=1&sortBy=CREATED`,
    )
  expect((await list(page.account)).body.elements).toMatchObject([
    { commentary: 'Two', lifecycleState: 'PUBLISHED' },
  ])
  expect(await list(user.account)).toMatchObject({ status: 403, body: { code: 'ACCESS_DENIED' } })
})

test('a token says why it is not good', async () => {
  await using sandbox = await testSandbox()
  const me = (token?: string) =>
    sandbox.ask('GET', '/linkedin/v2/userinfo', token === undefined ? {} : { token })
  expect((await me()).body.code).toBe('EMPTY_ACCESS_TOKEN')
  expect((await me('other')).body.code).toBe('INVALID_ACCESS_TOKEN')
  const { account, credentials } = await sandbox.account('LINKEDIN')
  const token = credentials['accessToken']!
  expect((await me(token)).body.sub).toBe(account.split(':').at(-1))
  await sandbox.advance(60 * 86_400)
  expect((await me(token)).body).toMatchObject({
    code: 'EXPIRED_ACCESS_TOKEN',
    serviceErrorCode: 65_602,
  })
  await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'LINKEDIN', account } })
  expect((await me(token)).body.code).toBe('REVOKED_ACCESS_TOKEN')
})

test('a member has 150 posts a day', async () => {
  await using sandbox = await testSandbox()
  const user = await linkedinUser(sandbox)
  for (let index = 1; index <= 150; index++)
    expect((await user.post({ commentary: `Post ${index}` })).status).toBe(201)
  expect(await user.post({ commentary: 'More' })).toMatchObject({
    status: 429,
    body: { code: 'TOO_MANY_REQUESTS' },
  })
  await sandbox.advance(12 * 3600)
  expect((await user.post({ commentary: 'More' })).status).toBe(201)
})

test('the parts of a video have the bytes that were asked for, and its end names them in their order', async () => {
  await using sandbox = await testSandbox()
  const user = await linkedinUser(sandbox)
  const bytes = mp4({ length: 4 * MB + 9 })
  const {
    video,
    uploadToken,
    uploadInstructions: parts,
  } = (await user.begin('video', { fileSizeBytes: bytes.length })).body.value
  expect(parts.map(({ firstByte, lastByte }: Json) => [firstByte, lastByte])).toEqual([
    [0, 4 * MB - 1],
    [4 * MB, 4 * MB + 8],
  ])
  expect((await user.put(parts[1].uploadUrl, bytes.subarray(4 * MB - 1))).status).toBe(400)
  const tags: string[] = []
  for (const { uploadUrl, firstByte, lastByte } of parts) {
    const sent = await user.put(uploadUrl, bytes.subarray(firstByte, lastByte + 1))
    tags.push(sent.headers.get('etag') ?? '')
  }
  const end = (uploadedPartIds: string[], token = uploadToken) =>
    user.ask('POST', '/rest/videos?action=finalizeUpload', {
      finalizeUploadRequest: { video, uploadToken: token, uploadedPartIds },
    })
  const path = `/rest/videos/${encodeURIComponent(video)}`
  expect((await user.ask('GET', path)).body.status).toBe('WAITING_UPLOAD')
  expect((await end(tags.toReversed())).status).toBe(400)
  expect((await end(tags, 'other')).status).toBe(400)
  expect((await end(tags)).status).toBe(200)
  expect((await end(tags)).status).toBe(400)
  expect((await user.ask('GET', path)).body.status).toBe('PROCESSING')
  const content = { media: { id: video } }
  expect((await user.post({ content })).body.message).toContain('is not ready: PROCESSING')
  await sandbox.advance(2)
  expect((await user.ask('GET', path)).body.status).toBe('AVAILABLE')
  const posted = await user.post({ content })
  expect(posted.headers.get('x-restli-id')).toMatch(/^urn:li:ugcPost:/)
  const [live] = await sandbox.live()
  expect(Buffer.from(await (await fetch(live.media[0].url)).arrayBuffer()).equals(bytes)).toBe(true)
})

test('pictures and documents are sent in one piece to an address that ends after a day', async () => {
  await using sandbox = await testSandbox()
  const user = await linkedinUser(sandbox, 'adapage')
  const image = (await user.begin('image')).body.value
  expect((await user.put(image.uploadUrl, Buffer.from('text'))).status).toBe(400)
  expect((await user.put(image.uploadUrl, png(6100, 6000))).status).toBe(400)
  expect((await user.put(image.uploadUrl, png())).status).toBe(201)
  const path = `/rest/images/${encodeURIComponent(image.image)}`
  expect((await user.ask('GET', path)).body.status).toBe('AVAILABLE')
  const document = (await user.begin('document')).body.value
  expect((await user.put(document.uploadUrl, Buffer.from('%PDF-1.7'))).status).toBe(201)
  const content = (title?: string) => ({ content: { media: { id: document.document, title } } })
  expect(JSON.stringify((await user.post(content())).body)).toContain('content.media.title')
  expect((await user.post(content('A title'))).status).toBe(201)
  const late = (await user.begin('image')).body.value
  await sandbox.advance(86_400)
  expect((await user.put(late.uploadUrl, png())).status).toBe(403)
})

test("a member's token may not read the member's pictures", async () => {
  await using sandbox = await testSandbox()
  const user = await linkedinUser(sandbox)
  const { image, uploadUrl } = (await user.begin('image')).body.value
  await user.put(uploadUrl, png())
  expect((await user.ask('GET', `/rest/images/${encodeURIComponent(image)}`)).status).toBe(403)
})
