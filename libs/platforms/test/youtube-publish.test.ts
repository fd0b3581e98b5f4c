import { describe, expect, test } from 'vitest'
import { FileUnavailable } from '../src/platform.ts'
import { youtubeConnector as youtube } from '../src/youtube/connector.ts'
import { aPublishFile } from './publish-file.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'
import { aServer, aVideo, MIB, OPTIONS, ranges, refusal, stored, VIDEO } from './youtube-account.ts'

const LAST = 786_432

/** What committing a video of 1 MiB comes to when the session answers so. */
async function commitAnswered(...session: Answer[]) {
  await using server = await aServer({ session })
  const step = { fileId: 'med_1', session: server.session, storedBytes: LAST }
  const outcome = await youtube.commit(server.input({ step }))
  return { outcome, received: server.received }
}

describe('preparing a video for YouTube', () => {
  test('begins an upload that says what the video is, and sends all but its last part', async () => {
    await using server = await aServer({ session: [stored(8 * MIB), stored(9 * MIB)] })
    const options = {
      ...OPTIONS,
      tags: ['sea'],
      categoryId: '22',
      syntheticMedia: true,
      notifySubscribers: false,
    }
    const media = [aVideo(9 * MIB + 1)]
    const kept: unknown[] = []
    const outcome = await youtube.prepare(
      Object.assign(server.input({ text: 'Grüße', options, media }), {
        onStep: async (step: unknown) => void kept.push(step),
      }),
    )
    const step = (storedBytes: number) => ({
      fileId: 'med_1',
      session: server.session,
      storedBytes,
    })
    expect(outcome).toEqual({ outcome: 'ready', step: step(9 * MIB) })
    expect(kept).toEqual([step(0), step(8 * MIB), step(9 * MIB)])
    const [opened] = server.received
    expect(opened).toMatchObject({
      method: 'POST',
      path: '/upload/videos',
      query: { uploadType: 'resumable', part: 'snippet,status', notifySubscribers: 'false' },
      headers: {
        authorization: 'Bearer token-1',
        'x-upload-content-type': 'video/mp4',
        'x-upload-content-length': String(9 * MIB + 1),
      },
    })
    expect(JSON.parse(opened!.body)).toEqual({
      snippet: { title: 'A boat', description: 'Grüße', tags: ['sea'], categoryId: '22' },
      status: {
        privacyStatus: 'unlisted',
        selfDeclaredMadeForKids: false,
        containsSyntheticMedia: true,
      },
    })
    expect(ranges(server.received)).toEqual([
      `bytes 0-${8 * MIB - 1}/${9 * MIB + 1}`,
      `bytes ${8 * MIB}-${9 * MIB - 1}/${9 * MIB + 1}`,
    ])
  })

  test('sends nothing of a video that is no longer than a part', async () => {
    await using server = await aServer({})
    const outcome = await youtube.prepare(server.input({ media: [aVideo(256 * 1024)] }))
    expect(outcome).toMatchObject({ outcome: 'ready', step: { storedBytes: 0 } })
    expect(server.received.length).toBe(1)
  })

  test('leaves a whole part as the last one of a video that ends with a part', async () => {
    await using server = await aServer({ session: [stored(LAST)] })
    expect(await youtube.prepare(server.input())).toMatchObject({ step: { storedBytes: LAST } })
    expect(ranges(server.received)).toEqual([`bytes 0-${LAST - 1}/${MIB}`])
  })

  test('has nothing to do when it is done', async () => {
    await using server = await aServer({})
    const step = { fileId: 'med_1', session: server.session, storedBytes: LAST }
    expect(await youtube.prepare(server.input({ step }))).toEqual({ outcome: 'ready', step })
    expect(server.received).toEqual([])
  })

  test('goes on where YouTube says that the upload stands, and begins none', async () => {
    await using server = await aServer({ session: [stored(8 * MIB), stored(9 * MIB)] })
    const step = { fileId: 'med_1', session: server.session, storedBytes: 0 }
    const outcome = await youtube.prepare(server.input({ step, media: [aVideo(9 * MIB + 5)] }))
    expect(outcome).toMatchObject({ outcome: 'ready', step: { storedBytes: 9 * MIB } })
    expect(server.received.every(({ path }) => path === '/session')).toBe(true)
    expect(ranges(server.received)).toEqual([
      `bytes */${9 * MIB + 5}`,
      `bytes ${8 * MIB}-${9 * MIB - 1}/${9 * MIB + 5}`,
    ])
  })

  test('sends again what YouTube did not store', async () => {
    await using server = await aServer({ session: [stored(262_144), stored(LAST)] })
    expect(await youtube.prepare(server.input())).toMatchObject({ outcome: 'ready' })
    expect(ranges(server.received)).toEqual([
      `bytes 0-${LAST - 1}/${MIB}`,
      `bytes 262144-${LAST - 1}/${MIB}`,
    ])
  })

  test.each([404, 410])('begins anew when the upload has ended with %i', async (status) => {
    await using server = await aServer({ session: [{ status, body: '' }, stored(LAST)] })
    const step = { fileId: 'med_1', session: server.session, storedBytes: 0 }
    expect(await youtube.prepare(server.input({ step }))).toMatchObject({ outcome: 'ready' })
    expect(server.received.map(({ method }) => method)).toEqual(['PUT', 'POST', 'PUT'])
  })

  test('takes an upload that is of another file, or not readable, for none', async () => {
    for (const step of [{ fileId: 'med_9', session: 'x', storedBytes: 0 }, { uploads: {} }]) {
      await using server = await aServer({ session: [stored(LAST)] })
      expect(await youtube.prepare(server.input({ step }))).toMatchObject({ outcome: 'ready' })
      expect(server.received[0]!.method).toBe('POST')
    }
  })

  test.each<[string, Answer, object]>([
    ['nothing was stored', stored(0), { outcome: 'transient' }],
    [
      'what is stored is unreadable',
      { status: 308, headers: { range: 'x' }, body: '' },
      { outcome: 'transient' },
    ],
    ['it says that it is done', { body: VIDEO }, { outcome: 'transient' }],
    ['it fails', { status: 503, body: '' }, { outcome: 'transient' }],
    ['it is gone', { status: 404, body: '' }, { outcome: 'transient' }],
    ['the token is over', refusal(401, 'authError'), { outcome: 'reauth' }],
  ])('a part after which %s', async (_, answer, expected) => {
    await using server = await aServer({ session: [answer] })
    expect(await youtube.prepare(server.input())).toMatchObject(expected)
  })

  test.each<[Answer, object]>([
    [refusal(401, 'authError'), { outcome: 'reauth' }],
    [
      refusal(401, 'youtubeSignupRequired'),
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [
      refusal(403, 'insufficientPermissions'),
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [refusal(403, 'forbidden'), { outcome: 'permanent', errorCode: 'missing_permission' }],
    [
      refusal(403, 'authenticatedUserAccountSuspended'),
      { outcome: 'permanent', errorCode: 'account_suspended' },
    ],
    [
      refusal(403, 'quotaExceeded'),
      { outcome: 'rate_limited', retryAt: null, message: expect.stringContaining('quota') },
    ],
    [refusal(403, 'rateLimitExceeded'), { outcome: 'rate_limited' }],
    [refusal(403, 'userRateLimitExceeded'), { outcome: 'rate_limited' }],
    [
      refusal(400, 'uploadLimitExceeded'),
      { outcome: 'rate_limited', message: expect.stringContaining('day') },
    ],
    [refusal(429, 'RATE_LIMIT_EXCEEDED'), { outcome: 'rate_limited' }],
    [refusal(400, 'invalidTitle'), { outcome: 'permanent', errorCode: 'invalid_options' }],
    [refusal(400, 'invalidDescription'), { outcome: 'permanent', errorCode: 'text_rejected' }],
    [refusal(400, 'invalidTags'), { outcome: 'permanent', errorCode: 'invalid_options' }],
    [refusal(400, 'invalidCategoryId'), { outcome: 'permanent', errorCode: 'invalid_options' }],
    [
      refusal(403, 'forbiddenPrivacySetting'),
      { outcome: 'permanent', errorCode: 'invalid_options' },
    ],
    [refusal(400, 'mediaBodyRequired'), { outcome: 'permanent', errorCode: 'media_unfit' }],
    [
      refusal(400, 'somethingNew'),
      {
        outcome: 'permanent',
        errorCode: 'platform_rejected',
        message: 'YouTube refused the post: No.',
      },
    ],
    [refusal(503, 'backendError'), { outcome: 'transient' }],
    [{ status: 302, body: '' }, { outcome: 'transient' }],
    [{ status: 200, body: '' }, { outcome: 'transient' }],
    [{ status: 200, headers: { location: 'javascript:x' }, body: '' }, { outcome: 'transient' }],
    [{ status: 500, body: '<html>' }, { outcome: 'transient' }],
  ])('an upload whose beginning is answered with %j', async (open, expected) => {
    await using server = await aServer({ open })
    expect(await youtube.prepare(server.input())).toMatchObject(expected)
    expect(ranges(server.received)).toEqual([])
  })

  test.each<[string, object, string]>([
    ['without a title', { options: { privacyStatus: 'public' } }, 'invalid_options'],
    ['without who sees it', { options: { title: 'x' } }, 'invalid_options'],
    ['with an option that there is not', { options: { ...OPTIONS, poll: 1 } }, 'invalid_options'],
    ['with a picture', { media: [aPublishFile('med_1', 'image')] }, 'media_mix'],
    ['without a video', { media: [] }, 'media_mix'],
  ])('is refused %s, and nothing is asked', async (_, overrides, errorCode) => {
    await using server = await aServer({})
    const input = server.input(overrides)
    expect(await youtube.prepare(input)).toMatchObject({ outcome: 'permanent', errorCode })
    expect(await youtube.commit(input)).toMatchObject({ outcome: 'permanent', errorCode })
    expect(server.received).toEqual([])
  })

  test.each([
    [false, { outcome: 'permanent', errorCode: 'media_missing' }],
    [true, { outcome: 'transient' }],
  ])('ends as the file says when it cannot be had, for now: %s', async (retryable, expected) => {
    const slice = () => Promise.reject(new FileUnavailable('The file is gone.', { retryable }))
    await using server = await aServer({})
    const media = [{ ...aVideo(MIB), slice }]
    expect(await youtube.prepare(server.input({ media }))).toMatchObject(expected)
    const step = { fileId: 'med_1', session: server.session, storedBytes: LAST }
    expect(await youtube.commit(server.input({ media, step }))).toMatchObject(expected)
    expect(ranges(server.received)).toEqual([])
  })

  test('can be done later when nobody listens', async () => {
    await using server = await aServer({})
    const settings = { uploadUrl: await closedPort() }
    expect(await youtube.prepare(server.input({ settings }))).toMatchObject({
      outcome: 'transient',
    })
  })
})

describe('the call that makes a video of an upload', () => {
  test('sends the last part once, and answers where the video is', async () => {
    const { outcome, received } = await commitAnswered({ body: VIDEO })
    expect(outcome).toEqual({
      outcome: 'published',
      platformPostId: 'dQw4w9WgXcQ',
      url: 'https://tube.example/watch?v=dQw4w9WgXcQ',
      publishedAt: '2026-11-21T09:30:01.000Z',
    })
    expect(ranges(received)).toEqual([`bytes ${LAST}-${MIB - 1}/${MIB}`])
    expect(received[0]!.body.length).toBe(MIB - LAST)
  })

  test('sends what YouTube did not store, because there is no video as long as it says so', async () => {
    const { outcome, received } = await commitAnswered(stored(262_144), {
      status: 201,
      body: VIDEO,
    })
    expect(outcome).toMatchObject({ outcome: 'published' })
    expect(ranges(received)).toEqual([
      `bytes ${LAST}-${MIB - 1}/${MIB}`,
      `bytes 262144-${MIB - 1}/${MIB}`,
    ])
  })

  test('gives up for now when YouTube stores nothing', async () => {
    const { outcome, received } = await commitAnswered(stored(LAST))
    expect(outcome).toMatchObject({ outcome: 'transient' })
    expect(received.length).toBe(3)
  })

  test.each<[string, Answer, object]>([
    ['401', refusal(401, 'authError'), { outcome: 'reauth' }],
    ['a used-up quota', refusal(403, 'quotaExceeded'), { outcome: 'rate_limited' }],
    ['400', refusal(400, 'badRequest'), { outcome: 'permanent', errorCode: 'platform_rejected' }],
    ['404', { status: 404, body: '' }, { outcome: 'unprepared' }],
    ['410', { status: 410, body: '' }, { outcome: 'unprepared' }],
    ['408', { status: 408, body: '' }, { outcome: 'unknown' }],
    ['302', { status: 302, body: '' }, { outcome: 'unknown' }],
    ['500', { status: 500, body: '' }, { outcome: 'unknown' }],
    ['503', { status: 503, body: '' }, { outcome: 'unknown' }],
    ['what is not JSON', { body: '<html>' }, { outcome: 'unknown' }],
    ['JSON without an id', { body: {} }, { outcome: 'unknown' }],
    [
      'an unreadable range',
      { status: 308, headers: { range: 'x' }, body: '' },
      { outcome: 'unknown' },
    ],
    [
      'a video that is rejected',
      { body: { ...VIDEO, status: { uploadStatus: 'rejected', rejectionReason: 'duplicate' } } },
      { outcome: 'permanent', errorCode: 'duplicate' },
    ],
  ])('answered with %s', async (_, answer, expected) => {
    const { outcome, received } = await commitAnswered(answer)
    expect(outcome).toMatchObject(expected)
    expect(received.length).toBe(1)
  })

  test('is told when to come again', async () => {
    const { outcome } = await commitAnswered({
      ...refusal(403, 'userRateLimitExceeded'),
      headers: { 'retry-after': '30' },
    })
    expect(outcome).toMatchObject({ outcome: 'rate_limited', retryAt: expect.any(Number) })
  })

  test('is not known to have been made when the connection is cut off', async () => {
    await using server = await aServer({})
    await using cutting = await scriptedServer((_, response) => {
      response.destroy()
      return undefined
    })
    const step = { fileId: 'med_1', session: `${cutting.url}/session`, storedBytes: LAST }
    expect(await youtube.commit(server.input({ step }))).toMatchObject({ outcome: 'unknown' })
  })

  test('was certainly not made when nobody listens', async () => {
    await using server = await aServer({})
    const step = { fileId: 'med_1', session: await closedPort(), storedBytes: LAST }
    expect(await youtube.commit(server.input({ step }))).toMatchObject({ outcome: 'transient' })
  })

  test('is not made without an upload', async () => {
    await using server = await aServer({})
    expect(await youtube.commit(server.input())).toMatchObject({
      outcome: 'permanent',
      errorCode: 'media_missing',
    })
    expect(server.received).toEqual([])
  })
})

describe('looking up a video on YouTube', () => {
  async function lookUp(session: Answer, videos?: Answer) {
    await using server = await aServer({ session: [session], ...(videos && { videos }) })
    const step = { fileId: 'med_1', session: server.session, storedBytes: LAST }
    const outcome = await youtube.lookUp(server.input({ step }))
    return { outcome, received: server.received }
  }
  const FOUND = { found: { platformPostId: VIDEO.id, publishedAt: '2026-11-21T09:30:01.000Z' } }
  const status = (uploadStatus: string, reasons = {}) => ({
    body: { items: [{ ...VIDEO, status: { uploadStatus, ...reasons } }] },
  })

  test('asks the session, and sends no bytes', async () => {
    const { outcome, received } = await lookUp({ body: VIDEO }, status('processed'))
    expect(outcome).toMatchObject(FOUND)
    expect(ranges(received)).toEqual([`bytes */${MIB}`])
    expect(received[0]!.body).toBe('')
  })

  test.each<[string, Answer, Answer | undefined, object]>([
    ['is found by the session alone', { body: VIDEO }, undefined, FOUND],
    ['is found while it is processed', { body: VIDEO }, status('uploaded'), FOUND],
    [
      'is found although the list does not have it yet',
      { body: VIDEO },
      { body: { items: [] } },
      FOUND,
    ],
    ['is not there while the upload is not complete', stored(LAST), undefined, { absent: true }],
    ['is not there when nothing was stored', stored(0), undefined, { absent: true }],
    [
      'was refused when it could not be processed',
      { body: VIDEO },
      status('failed', { failureReason: 'codec' }),
      { refused: { errorCode: 'media_unfit', message: expect.stringContaining('codec') } },
    ],
    [
      'was refused when it was rejected',
      { body: VIDEO },
      status('rejected', { rejectionReason: 'copyright' }),
      {
        refused: { errorCode: 'platform_rejected', message: expect.stringContaining('copyright') },
      },
    ],
    [
      'is in doubt when the session is gone',
      { status: 404, body: '' },
      undefined,
      { cannotTell: expect.any(String) },
    ],
    [
      'is in doubt when the token is over',
      refusal(401, 'authError'),
      undefined,
      { cannotTell: expect.any(String) },
    ],
    [
      'is in doubt when YouTube fails',
      { status: 500, body: '' },
      undefined,
      { cannotTell: expect.any(String) },
    ],
    [
      'is in doubt when the answer is unreadable',
      { body: '{' },
      undefined,
      { cannotTell: expect.any(String) },
    ],
  ])('%s', async (_, session, videos, expected) => {
    expect((await lookUp(session, videos)).outcome).toMatchObject(expected)
  })

  test('is in doubt when nobody listens', async () => {
    await using server = await aServer({})
    const step = { fileId: 'med_1', session: await closedPort(), storedBytes: LAST }
    expect(await youtube.lookUp(server.input({ step }))).toHaveProperty('cannotTell')
  })

  test('is not there when no upload was begun', async () => {
    await using server = await aServer({})
    expect(await youtube.lookUp(server.input())).toEqual({ absent: true })
  })
})
