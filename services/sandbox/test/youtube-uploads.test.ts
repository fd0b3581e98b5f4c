import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mp4, png } from './media-bytes.ts'
import { sha256 } from './publish-file.ts'
import { testSandbox } from './sandbox.ts'
import { RESOURCE, UNIT, youtubeUser } from './youtube.ts'

const VIDEO = mp4({ length: UNIT + 100 })
const TOTAL = VIDEO.length
const RANGES = {
  first: `bytes 0-${UNIT - 1}/${TOTAL}`,
  last: `bytes ${UNIT}-${TOTAL - 1}/${TOTAL}`,
}

async function begun() {
  const sandbox = await testSandbox()
  const user = await youtubeUser(sandbox, 'ada')
  const opened = await user.open(RESOURCE, { length: TOTAL })
  const session = opened.headers.get('location') ?? ''
  return { sandbox, user, session, [Symbol.asyncDispose]: () => sandbox.close() }
}

describe('an upload', () => {
  test('is a video once its last part has come, and not before', async () => {
    await using upload = await begun()
    const { sandbox, user, session } = upload
    const first = await user.put(session, RANGES.first, VIDEO.subarray(0, UNIT))
    expect([first.status, first.headers.get('range'), first.body]).toEqual([
      308,
      `bytes=0-${UNIT - 1}`,
      '',
    ])
    expect(await sandbox.live()).toEqual([])
    const last = await user.put(session, RANGES.last, VIDEO.subarray(UNIT))
    expect(last).toMatchObject({
      status: 200,
      body: {
        kind: 'youtube#video',
        id: expect.stringMatching(/^[\w-]{11}$/),
        snippet: { publishedAt: '2026-11-21T12:00:00Z', channelId: user.account, title: 'A boat' },
        status: { uploadStatus: 'uploaded', privacyStatus: 'public' },
      },
    })
    expect(await sandbox.live()).toMatchObject([
      {
        id: last.body.id,
        url: `${sandbox.url}/youtube/watch?v=${last.body.id}`,
        title: 'A boat',
        text: 'On the sea',
        media: [{ sha256: sha256(VIDEO), sizeBytes: TOTAL, width: 640 }],
      },
    ])
    expect(await sandbox.uploads()).toMatchObject([{ sizeBytes: UNIT, applied: true, status: 308 }])
    expect(await sandbox.requests()).toMatchObject([{ applied: true, postId: last.body.id }])
    expect((await sandbox.ask('GET', `/youtube/watch?v=${last.body.id}`)).status).toBe(200)
  })

  test('says how far it has come, without a range when nothing has', async () => {
    await using upload = await begun()
    const { sandbox, user, session } = upload
    const probe = () => user.put(session, `bytes */${TOTAL}`, new Uint8Array())
    const none = await probe()
    expect([none.status, none.headers.get('range')]).toEqual([308, null])
    await user.put(session, RANGES.first, VIDEO.subarray(0, UNIT))
    expect((await probe()).headers.get('range')).toBe(`bytes=0-${UNIT - 1}`)
    await user.put(session, RANGES.last, VIDEO.subarray(UNIT))
    const whole = await probe()
    expect(whole).toMatchObject({ status: 200, body: { snippet: { title: 'A boat' } } })
    expect((await sandbox.requests()).length).toBe(1)
  })

  test('that is complete answers any part with its video, and makes no other', async () => {
    await using upload = await begun()
    const { sandbox, user, session } = upload
    await user.put(session, RANGES.first, VIDEO.subarray(0, UNIT))
    const made = await user.put(session, RANGES.last, VIDEO.subarray(UNIT))
    const again = await user.put(session, RANGES.last, VIDEO.subarray(UNIT))
    expect(again.body.id).toBe(made.body.id)
    expect((await sandbox.live()).length).toBe(1)
    expect(await sandbox.requests()).toMatchObject([{ applied: true }, { applied: false }])
  })

  test('passes over what it has', async () => {
    await using upload = await begun()
    const { sandbox, user, session } = upload
    await user.put(session, RANGES.first, VIDEO.subarray(0, UNIT))
    await user.put(session, RANGES.first, VIDEO.subarray(0, UNIT))
    const whole = await user.put(session, `bytes 0-${TOTAL - 1}/${TOTAL}`, VIDEO)
    expect(whole.status).toBe(200)
    expect(await sandbox.live()).toMatchObject([{ media: [{ sha256: sha256(VIDEO) }] }])
  })

  test.each([
    ['no range', 'bytes', VIDEO.subarray(0, UNIT), /parse Content-Range/],
    ['another total', `bytes 0-${UNIT - 1}/${TOTAL + 1}`, VIDEO.subarray(0, UNIT), /total/],
    [
      'fewer bytes than it says',
      RANGES.first,
      VIDEO.subarray(0, UNIT - 1),
      /should have been 262144/,
    ],
    ['a gap before it', RANGES.last, VIDEO.subarray(UNIT), /exceeds already uploaded size of 0/],
    ['an odd length', `bytes 0-99/${TOTAL}`, VIDEO.subarray(0, 100), /multiple of 262144/],
  ])('refuses a part with %s', async (_, range, bytes, message) => {
    await using upload = await begun()
    const refused = await upload.user.put(upload.session, range, bytes)
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 400 } } })
    expect(refused.body.error.message).toMatch(message)
  })

  test('needs no token, and refuses a bad one', async () => {
    await using upload = await begun()
    const { sandbox, session } = upload
    const put = (headers: Record<string, string>) =>
      fetch(session, {
        method: 'PUT',
        headers: { 'content-range': `bytes */${TOTAL}`, ...headers },
      })
    expect((await put({})).status).toBe(308)
    expect((await put({ authorization: 'Bearer x' })).status).toBe(401)
    expect((await sandbox.ask('PUT', '/youtube/upload/youtube/v3/videos?upload_id=x')).status).toBe(
      404,
    )
  })

  test('ends after a week', async () => {
    await using upload = await begun()
    const { sandbox, user, session } = upload
    const probe = { method: 'PUT', headers: { 'content-range': `bytes */${TOTAL}` } }
    await sandbox.advance(7 * 86_400 - 1)
    expect((await fetch(session, probe)).status).toBe(308)
    await sandbox.advance(1)
    expect((await user.put(session, RANGES.first, VIDEO.subarray(0, UNIT))).status).toBe(404)
  })

  test('outlives the process', async () => {
    const SANDBOX_DATA_DIR = await mkdtemp(join(tmpdir(), 'sandbox-test-'))
    const first = await testSandbox({ SANDBOX_DATA_DIR })
    const user = await youtubeUser(first, 'ada')
    const session = (await user.open(RESOURCE, { length: TOTAL })).headers.get('location') ?? ''
    await user.put(session, RANGES.first, VIDEO.subarray(0, UNIT))
    await first.close()
    await using second = await testSandbox({ SANDBOX_DATA_DIR })
    const headers = { 'content-range': RANGES.last }
    const made = await fetch(session.replace(first.url, second.url), {
      method: 'PUT',
      headers,
      body: VIDEO.subarray(UNIT),
    })
    expect(made.status).toBe(200)
    expect(await second.live()).toMatchObject([{ media: [{ sha256: sha256(VIDEO) }] }])
    await rm(SANDBOX_DATA_DIR, { recursive: true })
  })
})

describe('the beginning of an upload', () => {
  const video = (snippet: object, status: object = RESOURCE.status) => ({
    snippet: { ...RESOURCE.snippet, ...snippet },
    status,
  })

  test.each<[string, unknown, string]>([
    ['an empty title', video({ title: ' ' }), 'invalidTitle'],
    ['a title of 101 characters', video({ title: 'x'.repeat(101) }), 'invalidTitle'],
    ['a bracket in the title', video({ title: 'a<b' }), 'invalidTitle'],
    ['no title', { snippet: {} }, 'invalidTitle'],
    [
      'a description of 5,001 bytes',
      video({ description: 'ä'.repeat(2500) + 'x' }),
      'invalidDescription',
    ],
    ['a bracket in the description', video({ description: '>' }), 'invalidDescription'],
    ['tags of 501 characters', video({ tags: ['x'.repeat(250), 'y'.repeat(250)] }), 'invalidTags'],
    [
      'tags whose quotation marks are too many',
      video({ tags: [`a ${'x'.repeat(497)}`] }),
      'invalidTags',
    ],
    ['an unknown category', video({ categoryId: '9999' }), 'invalidCategoryId'],
    ['a category for others', video({ categoryId: '30' }), 'invalidCategoryId'],
    ['an unknown audience', video({}, { privacyStatus: 'friends' }), 'badRequest'],
    ['an unknown field', { ...RESOURCE, more: 1 }, 'badRequest'],
  ])('is refused with %s', async (_, resource, reason) => {
    await using sandbox = await testSandbox()
    const user = await youtubeUser(sandbox)
    expect(await user.open(resource)).toMatchObject({
      status: 400,
      body: { error: { code: 400, message: expect.any(String), errors: [{ reason }] } },
    })
  })

  test('takes everything at its limit', async () => {
    await using sandbox = await testSandbox()
    const user = await youtubeUser(sandbox)
    const tags = ['x'.repeat(249), 'y'.repeat(250)]
    const resource = video({ title: 'x'.repeat(100), description: 'ä'.repeat(2500), tags })
    expect((await user.open(resource)).status).toBe(200)
  })

  test.each([
    ['uploadType=multipart&part=snippet', 'badRequest'],
    ['uploadType=resumable', 'missingRequiredParameter'],
    ['uploadType=resumable&part=nonsense', 'unknownPart'],
  ])('is refused with the parameters %s', async (query, reason) => {
    await using sandbox = await testSandbox()
    const user = await youtubeUser(sandbox)
    expect(await user.open(RESOURCE, { query })).toMatchObject({
      status: 400,
      body: { error: { errors: [{ reason }] } },
    })
  })

  test("is refused for a picture, and in nobody's name", async () => {
    await using sandbox = await testSandbox()
    const user = await youtubeUser(sandbox)
    const path = '/upload/youtube/v3/videos?uploadType=resumable&part=snippet'
    const headers = { 'x-upload-content-type': 'image/png' }
    expect(
      (await user.ask('POST', path, { body: RESOURCE, headers })).body.error.errors[0].reason,
    ).toBe('badContent')
    expect(await user.ask('POST', path, { token: 'x', body: RESOURCE })).toMatchObject({
      status: 401,
      body: { error: { status: 'UNAUTHENTICATED', errors: [{ reason: 'authError' }] } },
    })
  })

  test('can be made a hundred times a day, until midnight in California', async () => {
    await using sandbox = await testSandbox()
    const user = await youtubeUser(sandbox)
    for (let call = 0; call < 100; call += 1) expect((await user.open()).status).toBe(200)
    expect(await user.open()).toMatchObject({
      status: 403,
      body: { error: { errors: [{ reason: 'quotaExceeded', domain: 'youtube.quota' }] } },
    })
    // It is noon in UTC, and four in the morning there.
    await sandbox.advance(20 * 3600)
    const renewed = await youtubeUser(sandbox)
    expect((await renewed.open()).status).toBe(200)
  })
})

describe('a video', () => {
  const stateOf = async (user: Awaited<ReturnType<typeof youtubeUser>>, id: string) =>
    (await user.ask('GET', `/youtube/v3/videos?part=status,processingDetails&id=${id}`)).body
      .items[0]

  test('is processed after a while', async () => {
    await using sandbox = await testSandbox()
    const user = await youtubeUser(sandbox)
    const { id } = (await user.post(VIDEO)).body
    expect(await stateOf(user, id)).toMatchObject({
      status: { uploadStatus: 'uploaded' },
      processingDetails: { processingStatus: 'processing' },
    })
    await sandbox.advance(2)
    expect(await stateOf(user, id)).toEqual(
      expect.objectContaining({
        status: expect.objectContaining({ uploadStatus: 'processed' }),
        processingDetails: { processingStatus: 'succeeded' },
      }),
    )
  })

  test.each([
    [
      'cannot be processed when it is none',
      png(),
      '',
      { uploadStatus: 'failed', failureReason: 'invalidFile' },
    ],
    [
      'fails on command',
      VIDEO,
      '#sandbox-fail:codec',
      { uploadStatus: 'failed', failureReason: 'codec' },
    ],
    [
      'is rejected on command',
      VIDEO,
      'x #sandbox-fail:copyright',
      { uploadStatus: 'rejected', rejectionReason: 'copyright' },
    ],
  ])('%s', async (_, bytes, description, status) => {
    await using sandbox = await testSandbox()
    const user = await youtubeUser(sandbox)
    const { id } = (await user.post(bytes, { snippet: { title: 'x', description } })).body
    expect((await sandbox.live()).length).toBe(1)
    await sandbox.advance(2)
    expect((await stateOf(user, id)).status).toMatchObject(status)
    expect(await sandbox.live()).toEqual([])
    expect((await sandbox.ask('GET', `/youtube/watch?v=${id}`)).status).toBe(404)
  })

  test('that is private is shown to its channel alone', async () => {
    await using sandbox = await testSandbox()
    const [user, other] = [await youtubeUser(sandbox), await youtubeUser(sandbox)]
    const resource = { ...RESOURCE, status: { privacyStatus: 'private' } }
    const { id } = (await user.post(VIDEO, resource)).body
    expect(await stateOf(user, id)).toMatchObject({ status: { privacyStatus: 'private' } })
    expect(await stateOf(other, id)).toBeUndefined()
  })
})
