import { describe, expect, test } from 'vitest'
import { FileUnavailable } from '../src/platform.ts'
import { tiktokConnector as tiktok } from '../src/tiktok/connector.ts'
import { aPublishFile } from './publish-file.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'
import {
  aServer,
  aVideo,
  calls,
  CREATOR,
  ID,
  MB,
  ok,
  OPTIONS,
  refusal,
  state,
} from './tiktok-account.ts'

const TOTAL = 16 * MB
const FIRST = `bytes 0-${5 * MB - 1}/${TOTAL}`
const SECOND = `bytes ${5 * MB}-${10 * MB - 1}/${TOTAL}`
const TAKEN = { status: 206, body: '' }

describe('preparing a video for TikTok', () => {
  test('asks what the creator may do, says what the video is, and sends all but its last chunk', async () => {
    await using server = await aServer({ chunks: [TAKEN] })
    const options = {
      ...OPTIONS,
      disableDuet: true,
      brandOrganic: true,
      madeWithAi: true,
      coverOffsetMs: 1500,
    }
    const kept: unknown[] = []
    const outcome = await tiktok.prepare({
      ...server.input({ text: 'Grüße', options, media: [aVideo(TOTAL)] }),
      onStep: async (step: unknown) => void kept.push(step),
    })
    const { step } = server
    expect(outcome).toEqual({ outcome: 'ready', step: step(2) })
    expect(kept).toEqual([step(0), step(1), step(2)])
    expect(calls(server.received)).toEqual(['creator_info/query', 'video/init', FIRST, SECOND])
    const [, init, chunk] = server.received
    expect(init!.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'content-type': 'application/json; charset=UTF-8',
    })
    expect(JSON.parse(init!.body)).toEqual({
      post_info: {
        title: 'Grüße',
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_comment: false,
        disable_duet: true,
        disable_stitch: false,
        video_cover_timestamp_ms: 1500,
        brand_content_toggle: false,
        brand_organic_toggle: true,
        is_aigc: true,
      },
      source_info: {
        source: 'FILE_UPLOAD',
        video_size: TOTAL,
        chunk_size: 5 * MB,
        total_chunk_count: 3,
      },
    })
    expect(chunk).toMatchObject({
      method: 'PUT',
      query: { id: '1' },
      headers: { 'content-type': 'video/mp4', 'content-length': String(5 * MB) },
    })
    expect(chunk!.headers.authorization).toBeUndefined()
  })

  test('sends nothing of a video of one chunk', async () => {
    await using server = await aServer({})
    expect(await tiktok.prepare(server.input())).toEqual({ outcome: 'ready', step: server.step(0) })
    expect(JSON.parse(server.received[1]!.body).source_info).toMatchObject({
      chunk_size: MB,
      total_chunk_count: 1,
    })
  })

  test('turns off what the creator has turned off', async () => {
    const creator = ok({
      ...CREATOR,
      comment_disabled: true,
      duet_disabled: true,
      stitch_disabled: true,
    })
    await using server = await aServer({ creator })
    await tiktok.prepare(server.input())
    expect(JSON.parse(server.received[1]!.body).post_info).toMatchObject({
      disable_comment: true,
      disable_duet: true,
      disable_stitch: true,
    })
  })

  test('has nothing to do when it is done', async () => {
    await using server = await aServer({})
    const step = server.step(0)
    expect(await tiktok.prepare(server.input({ step }))).toEqual({ outcome: 'ready', step })
    expect(server.received).toEqual([])
  })

  test('goes on where TikTok says that the upload stands, and begins none', async () => {
    const states = [state('PROCESSING_UPLOAD', { uploaded_bytes: 5 * MB })]
    await using server = await aServer({ states, chunks: [TAKEN] })
    const input = server.input({ step: server.step(0), media: [aVideo(TOTAL)] })
    expect(await tiktok.prepare(input)).toMatchObject({ outcome: 'ready', step: server.step(2) })
    expect(calls(server.received)).toEqual(['status/fetch', SECOND])
  })

  test.each<[string, Answer]>([
    ['has failed', state('FAILED', { fail_reason: 'internal' })],
    ['stands within a chunk', state('PROCESSING_UPLOAD', { uploaded_bytes: 7 })],
    ['is unknown', refusal(400, 'invalid_publish_id')],
  ])('begins anew when the upload %s', async (_, answer) => {
    await using server = await aServer({ states: [answer], chunks: [TAKEN] })
    const input = server.input({ step: server.step(1), media: [aVideo(TOTAL)] })
    expect(await tiktok.prepare(input)).toMatchObject({ outcome: 'ready', step: server.step(2) })
    expect(calls(server.received)).toEqual([
      'status/fetch',
      'creator_info/query',
      'video/init',
      FIRST,
      SECOND,
    ])
  })

  test('waits when it cannot be told where the upload stands', async () => {
    await using server = await aServer({ states: [{ status: 500, body: '' }] })
    const input = server.input({ step: server.step(1), media: [aVideo(TOTAL)] })
    expect(await tiktok.prepare(input)).toMatchObject({ outcome: 'transient' })
    expect(calls(server.received)).toEqual(['status/fetch'])
  })

  test.each([400, 403, 404, 416])(
    'is begun anew by the next call when a chunk is answered with %i',
    async (status) => {
      await using server = await aServer({ chunks: [{ status, body: '' }] })
      const kept: unknown[] = []
      const onStep = async (step: unknown) => void kept.push(step)
      const input = server.input({ media: [aVideo(TOTAL)] })
      expect(await tiktok.prepare({ ...input, onStep })).toMatchObject({ outcome: 'transient' })
      expect(kept.at(-1)).toEqual({})
    },
  )

  test.each<[number, object]>([
    [201, { outcome: 'transient' }],
    [302, { outcome: 'transient' }],
    [401, { outcome: 'reauth' }],
    [429, { outcome: 'rate_limited' }],
    [503, { outcome: 'transient' }],
  ])('keeps the upload when a chunk is answered with %i', async (status, expected) => {
    await using server = await aServer({ chunks: [{ status, body: '' }] })
    const kept: unknown[] = []
    const onStep = async (step: unknown) => void kept.push(step)
    const input = server.input({ media: [aVideo(TOTAL)] })
    expect(await tiktok.prepare({ ...input, onStep })).toMatchObject(expected)
    expect(kept).toEqual([server.step(0)])
  })

  test.each<[string, object, object]>([
    [
      'a level that the creator cannot choose',
      { options: { privacyLevel: 'FOLLOWER_OF_CREATOR' } },
      { errorCode: 'invalid_options' },
    ],
    [
      'a video that is too long for the creator',
      { media: [aVideo(MB, { durationSeconds: 301 })] },
      { errorCode: 'media_unfit' },
    ],
  ])('is refused with %s, and nothing is begun', async (_, overrides, expected) => {
    await using server = await aServer({})
    expect(await tiktok.prepare(server.input(overrides))).toMatchObject({
      outcome: 'permanent',
      ...expected,
    })
    expect(calls(server.received)).toEqual(['creator_info/query'])
  })

  test.each<[string, object, string]>([
    ['without a privacy level', { options: {} }, 'invalid_options'],
    ['with an option that there is not', { options: { ...OPTIONS, poll: 1 } }, 'invalid_options'],
    [
      'with a picture beside the video',
      { media: [aVideo(MB), aPublishFile('med_2', 'image')] },
      'media_mix',
    ],
    ['with a document', { media: [aPublishFile('med_1', 'document')] }, 'media_mix'],
    ['without a file', { media: [] }, 'media_mix'],
  ])('is refused %s, and nothing is asked', async (_, overrides, errorCode) => {
    await using server = await aServer({})
    const input = server.input(overrides)
    expect(await tiktok.prepare(input)).toMatchObject({ outcome: 'permanent', errorCode })
    expect(await tiktok.commit(input)).toMatchObject({ outcome: 'permanent', errorCode })
    expect(server.received).toEqual([])
  })

  const REFUSALS: [Answer, object][] = [
    [refusal(401, 'access_token_invalid'), { outcome: 'reauth' }],
    [refusal(200, 'access_token_invalid'), { outcome: 'reauth' }],
    [
      refusal(401, 'scope_not_authorized'),
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [
      refusal(403, 'scope_permission_missed'),
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [refusal(403, 'spam_risk_too_many_posts'), { outcome: 'rate_limited', retryAt: null }],
    [refusal(200, 'spam_risk_too_many_posts'), { outcome: 'rate_limited' }],
    [refusal(403, 'reached_active_user_cap'), { outcome: 'rate_limited' }],
    [
      refusal(403, 'spam_risk_user_banned_from_posting'),
      { outcome: 'permanent', errorCode: 'account_suspended' },
    ],
    [
      refusal(403, 'unaudited_client_can_only_post_to_private_accounts'),
      { outcome: 'permanent', message: expect.stringContaining('audited') },
    ],
    [
      refusal(403, 'privacy_level_option_mismatch'),
      { outcome: 'permanent', errorCode: 'invalid_options' },
    ],
    [
      refusal(403, 'app_version_check_failed'),
      { outcome: 'permanent', errorCode: 'platform_rejected' },
    ],
    [refusal(200, 'invalid_params'), { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [refusal(429, 'rate_limit_exceeded'), { outcome: 'rate_limited' }],
    [
      refusal(400, 'something_new'),
      { outcome: 'permanent', message: 'TikTok refused the post: No.' },
    ],
    [refusal(200, 'something_new'), { outcome: 'transient' }],
    [refusal(500, 'internal_error'), { outcome: 'transient' }],
    [{ status: 200, body: '<html>' }, { outcome: 'transient' }],
    [ok({}), { outcome: 'transient' }],
    [{ status: 302, body: '' }, { outcome: 'transient' }],
  ]

  test.each(REFUSALS)(
    'is over, for now or for good, when the creator is answered with %j',
    async (creator, expected) => {
      await using server = await aServer({ creator })
      expect(await tiktok.prepare(server.input())).toMatchObject(expected)
      expect(calls(server.received)).toEqual(['creator_info/query'])
    },
  )

  test.each(REFUSALS)(
    'is over, for now or for good, when its beginning is answered with %j',
    async (init, expected) => {
      await using server = await aServer({ init })
      expect(await tiktok.prepare(server.input({ media: [aVideo(TOTAL)] }))).toMatchObject(expected)
      expect(calls(server.received)).toEqual(['creator_info/query', 'video/init'])
    },
  )

  test('goes to no address that is not for the web', async () => {
    await using server = await aServer({ init: ok({ publish_id: 'v_1', upload_url: 'file:///x' }) })
    expect(await tiktok.prepare(server.input())).toMatchObject({ outcome: 'transient' })
  })

  test('can be done later when nobody listens', async () => {
    await using server = await aServer({})
    const settings = { apiUrl: await closedPort() }
    expect(await tiktok.prepare(server.input({ settings }))).toMatchObject({ outcome: 'transient' })
  })
})

describe('the last chunk of a video for TikTok', () => {
  async function commitAnswered(answer: Answer) {
    await using server = await aServer({ chunks: [answer] })
    const outcome = await tiktok.commit(
      server.input({ step: server.step(2), media: [aVideo(TOTAL)] }),
    )
    return { outcome, received: server.received }
  }

  test('is sent once; TikTok has the video then, and nobody knows yet what it makes of it', async () => {
    const { outcome, received } = await commitAnswered({ status: 201, body: '' })
    expect(outcome).toMatchObject({
      outcome: 'unknown',
      message: expect.stringContaining('working'),
    })
    expect(calls(received)).toEqual([`bytes ${10 * MB}-${TOTAL - 1}/${TOTAL}`])
    expect(received[0]!.body.length).toBe(6 * MB)
  })

  test.each<[number, object]>([
    [206, { outcome: 'unknown' }],
    [200, { outcome: 'unknown' }],
    [302, { outcome: 'unknown' }],
    [401, { outcome: 'reauth' }],
    [408, { outcome: 'unknown' }],
    [429, { outcome: 'rate_limited' }],
    [500, { outcome: 'unknown' }],
    [503, { outcome: 'unknown' }],
  ])('answered with %i', async (status, expected) => {
    const { outcome, received } = await commitAnswered({ status, body: '' })
    expect(outcome).toMatchObject(expected)
    expect(received.length).toBe(1)
  })

  test.each<[string, Answer, object]>([
    [
      'is not complete',
      state('PROCESSING_UPLOAD', { uploaded_bytes: 10 * MB }),
      { outcome: 'unprepared' },
    ],
    ['is unknown', refusal(400, 'invalid_publish_id'), { outcome: 'unprepared' }],
    ['is complete', state('PROCESSING_UPLOAD', { uploaded_bytes: TOTAL }), { outcome: 'unknown' }],
    ['is published', state('PUBLISH_COMPLETE', {}, [ID]), { outcome: 'unknown' }],
    ['has failed', state('FAILED', { fail_reason: 'internal' }), { outcome: 'unknown' }],
    ['cannot be asked for', { status: 500, body: '' }, { outcome: 'unknown' }],
  ])(
    'that TikTok does not take any more is prepared again only when its upload %s',
    async (_, answer, expected) => {
      for (const status of [400, 403, 404, 410, 416]) {
        await using server = await aServer({ chunks: [{ status, body: '' }], states: [answer] })
        const input = server.input({ step: server.step(2), media: [aVideo(TOTAL)] })
        expect(await tiktok.commit(input)).toMatchObject(expected)
      }
    },
  )

  test('is not known to have come when the connection is cut off', async () => {
    await using cutting = await scriptedServer((_, response) => {
      response.destroy()
      return undefined
    })
    await using server = await aServer({})
    const step = { ...server.step(0), uploadUrl: `${cutting.url}/upload` }
    expect(await tiktok.commit(server.input({ step }))).toMatchObject({ outcome: 'unknown' })
  })

  test('has certainly not come when nobody listens, or when it cannot be read', async () => {
    await using server = await aServer({})
    const step = { ...server.step(0), uploadUrl: await closedPort() }
    expect(await tiktok.commit(server.input({ step }))).toMatchObject({ outcome: 'transient' })
    const away = new FileUnavailable('The storage is away.', { retryable: true })
    for (const slice of [() => Promise.reject(away), async () => Buffer.alloc(1)]) {
      const input = server.input({ step: server.step(0), media: [aVideo(MB, { slice })] })
      expect(await tiktok.commit(input)).toMatchObject({ outcome: 'transient' })
    }
    expect(server.received).toEqual([])
  })

  test('is not sent without an upload', async () => {
    await using server = await aServer({})
    for (const step of [{}, { ...server.step(0), fileId: 'med_9' }])
      expect(await tiktok.commit(server.input({ step }))).toMatchObject({
        errorCode: 'media_missing',
      })
    expect(server.received).toEqual([])
  })
})

describe('looking up a video on TikTok', () => {
  async function lookUp(answers: Answer[], overrides: object = {}) {
    await using server = await aServer({ states: answers })
    const calledAt = '2026-11-21T09:30:00.000Z'
    const outcome = await tiktok.lookUp(
      server.input({ step: server.step(0), calledAt, ...overrides }),
    )
    return { outcome, received: server.received }
  }

  test('finds it under its id, to the last digit', async () => {
    const { outcome, received } = await lookUp([state('PUBLISH_COMPLETE', {}, [ID])])
    expect(outcome).toEqual({
      found: {
        platformPostId: ID,
        url: `https://tok.example/@ada/video/${ID}`,
        publishedAt: '2026-11-21T09:30:00.000Z',
      },
    })
    expect(calls(received)).toEqual(['status/fetch'])
    expect(JSON.parse(received[0]!.body)).toEqual({ publish_id: 'v_1' })
  })

  test('finds one that is not for everybody at the profile, because it has no id', async () => {
    const { outcome } = await lookUp([state('PUBLISH_COMPLETE')], {
      options: { privacyLevel: 'SELF_ONLY' },
    })
    expect(outcome).toMatchObject({
      found: { platformPostId: 'v_1', url: 'https://tok.example/@ada' },
    })
  })

  test('waits a little for the id of a public one, and does without it', async () => {
    const waiting = await lookUp([state('PUBLISH_COMPLETE'), state('PUBLISH_COMPLETE', {}, [ID])])
    expect(waiting.outcome).toMatchObject({ found: { platformPostId: ID } })
    const signal = AbortSignal.timeout(300)
    const without = await lookUp([state('PUBLISH_COMPLETE')], { signal })
    expect(without.outcome).toMatchObject({ found: { platformPostId: 'v_1' } })
  })

  const AT_WORK = { pending: expect.any(String) }
  const OPEN = { cannotTell: expect.any(String) }
  test.each<[string, Answer, object]>([
    [
      'is not there while its bytes are not',
      state('PROCESSING_UPLOAD', { uploaded_bytes: MB - 1 }),
      { absent: true },
    ],
    ['is open while it is worked on', state('PROCESSING_UPLOAD', { uploaded_bytes: MB }), AT_WORK],
    ['is open while it is worked on, and no bytes are told', state('PROCESSING_UPLOAD'), AT_WORK],
    ['is open in the inbox', state('SEND_TO_USER_INBOX'), AT_WORK],
    [
      'was refused for its format',
      state('FAILED', { fail_reason: 'file_format_check_failed' }),
      { refused: { errorCode: 'media_unfit', message: expect.any(String) } },
    ],
    [
      'was refused for its length',
      state('FAILED', { fail_reason: 'duration_check_failed' }),
      { refused: { errorCode: 'media_unfit' } },
    ],
    [
      'was refused for spam',
      state('FAILED', { fail_reason: 'spam_risk_text' }),
      { refused: { errorCode: 'platform_rejected' } },
    ],
    [
      'was refused for the account',
      state('FAILED', { fail_reason: 'spam_risk_user_banned_from_posting' }),
      { refused: { errorCode: 'account_suspended' } },
    ],
    [
      'was refused for what is new',
      state('FAILED', { fail_reason: 'brand_new' }),
      { refused: { message: expect.stringContaining('brand_new') } },
    ],
    [
      'was refused without a word',
      state('FAILED'),
      { refused: { errorCode: 'platform_rejected' } },
    ],
    ['is open when it is unknown', refusal(400, 'invalid_publish_id'), OPEN],
    ['is open when the token is over', refusal(401, 'access_token_invalid'), OPEN],
    ['is open when TikTok fails', { status: 500, body: '' }, OPEN],
    ['is open when the answer is unreadable', { body: '{' }, OPEN],
  ])('%s', async (_, answer, expected) => {
    expect((await lookUp([answer])).outcome).toMatchObject(expected)
  })

  test('is not there when no upload was begun, and open when nobody listens', async () => {
    await using server = await aServer({})
    expect(await tiktok.lookUp(server.input())).toEqual({ absent: true })
    const settings = { apiUrl: await closedPort() }
    expect(await tiktok.lookUp(server.input({ settings, step: server.step(0) }))).toEqual(OPEN)
  })
})
