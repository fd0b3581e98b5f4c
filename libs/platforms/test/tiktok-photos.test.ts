import { describe, expect, test } from 'vitest'
import { FileUnavailable, FileUnfit, type ImageLimits, type PublishFile } from '../src/platform.ts'
import { tiktokConnector as tiktok } from '../src/tiktok/connector.ts'
import { aPublishFile } from './publish-file.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'
import { aServer, calls, ID, ok, OPTIONS, refusal, state } from './tiktok-account.ts'

const PHOTOS = [aPublishFile('med_1', 'image'), aPublishFile('med_2', 'gif')]
const URLS = { med_1: 'https://files.example/med_1', med_2: 'https://files.example/med_2' }
const STEP = { urls: URLS, isCommentDisabled: false }

describe('preparing photos for TikTok', () => {
  test('asks what the creator may do, and has them hosted as TikTok takes them', async () => {
    await using server = await aServer({})
    const asked: ImageLimits[] = []
    const sized = (photo: PublishFile, width: number, height: number): PublishFile => ({
      ...photo,
      width,
      height,
      imageUrl: (limits) => {
        asked.push(limits)
        return photo.imageUrl(limits)
      },
    })
    const media = [sized(PHOTOS[0]!, 4000, 3000), sized(PHOTOS[1]!, 3000, 4000)]
    const kept: unknown[] = []
    const onStep = async (step: unknown) => void kept.push(step)
    expect(await tiktok.prepare({ ...server.input({ media }), onStep })).toEqual({
      outcome: 'ready',
      step: STEP,
    })
    const limits = { mimeTypes: ['image/jpeg', 'image/webp'], maxBytes: 20_000_000 }
    expect(asked).toEqual([
      { ...limits, maxWidth: 1920, maxHeight: 1080 },
      { ...limits, maxWidth: 1080, maxHeight: 1920 },
    ])
    expect(kept).toEqual([{ ...STEP, urls: { med_1: URLS.med_1 } }, STEP])
    expect(calls(server.received)).toEqual(['creator_info/query'])
  })

  test('has nothing to do when it is done, and only the rest when it was interrupted', async () => {
    await using server = await aServer({})
    expect(await tiktok.prepare(server.input({ media: PHOTOS, step: STEP }))).toMatchObject({
      step: STEP,
    })
    expect(server.received).toEqual([])
    const done = { ...PHOTOS[0]!, imageUrl: () => Promise.reject(new Error('It is made already.')) }
    const step = { ...STEP, urls: { med_1: URLS.med_1 } }
    const input = server.input({ media: [done, PHOTOS[1]!], step })
    expect(await tiktok.prepare(input)).toEqual({ outcome: 'ready', step: STEP })
  })

  test.each([
    [new FileUnfit('It is too thin.'), { outcome: 'permanent', errorCode: 'media_unfit' }],
    [
      new FileUnavailable('It is gone.', { retryable: false }),
      { outcome: 'permanent', errorCode: 'media_missing' },
    ],
    [new FileUnavailable('It is away.', { retryable: true }), { outcome: 'transient' }],
  ])('ends as a picture that cannot be hosted says: %s', async (error, expected) => {
    await using server = await aServer({})
    const media = [{ ...PHOTOS[0]!, imageUrl: () => Promise.reject(error) }]
    expect(await tiktok.prepare(server.input({ media }))).toMatchObject(expected)
  })

  test('ends when the creator has posted enough for a day', async () => {
    await using server = await aServer({ creator: refusal(200, 'spam_risk_too_many_posts') })
    expect(await tiktok.prepare(server.input({ media: PHOTOS }))).toMatchObject({
      outcome: 'rate_limited',
    })
  })
})

describe('the call that posts photos to TikTok', () => {
  async function commit(content: Answer | undefined, states: Answer[], overrides: object = {}) {
    await using server = await aServer({ ...(content && { content }), states })
    const outcome = await tiktok.commit(server.input({ media: PHOTOS, step: STEP, ...overrides }))
    return { outcome, received: server.received }
  }

  test('names the pictures in their order and waits for what comes of it', async () => {
    const states = [state('PROCESSING_DOWNLOAD'), state('PUBLISH_COMPLETE', {}, [ID])]
    const options = { ...OPTIONS, title: 'Boats', autoAddMusic: true, brandContent: true }
    const { outcome, received } = await commit(undefined, states, {
      text: 'Grüße',
      options,
      media: PHOTOS.toReversed(),
      step: { ...STEP, isCommentDisabled: true },
    })
    expect(outcome).toMatchObject({
      outcome: 'published',
      platformPostId: ID,
      url: `https://tok.example/@ada/photo/${ID}`,
    })
    expect(calls(received)).toEqual(['content/init', 'status/fetch', 'status/fetch'])
    expect(JSON.parse(received[0]!.body)).toEqual({
      media_type: 'PHOTO',
      post_mode: 'DIRECT_POST',
      post_info: {
        title: 'Boats',
        description: 'Grüße',
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_comment: true,
        brand_content_toggle: true,
        brand_organic_toggle: false,
        auto_add_music: true,
      },
      source_info: {
        source: 'PULL_FROM_URL',
        photo_cover_index: 0,
        photo_images: [URLS.med_2, URLS.med_1],
      },
    })
  })

  test.each<[Answer, object]>([
    [
      state('PUBLISH_COMPLETE'),
      { outcome: 'published', platformPostId: 'p_1', url: 'https://tok.example/@ada' },
    ],
    [
      state('FAILED', { fail_reason: 'picture_size_check_failed' }),
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      state('FAILED', { fail_reason: 'spam_risk' }),
      { outcome: 'permanent', errorCode: 'platform_rejected' },
    ],
    [state('FAILED', { fail_reason: 'photo_pull_failed' }), { outcome: 'transient' }],
    [state('FAILED', { fail_reason: 'internal' }), { outcome: 'transient' }],
  ])('is what TikTok says of it soon after: %j', async (answer, expected) => {
    expect((await commit(undefined, [answer])).outcome).toMatchObject(expected)
  })

  test.each<[string, Answer]>([
    ['TikTok is still working', state('PROCESSING_DOWNLOAD')],
    ['TikTok does not say', { status: 500, body: '' }],
    ['the token is over meanwhile', refusal(401, 'access_token_invalid')],
  ])('is open when the time is over and %s', async (_, answer) => {
    const signal = AbortSignal.timeout(400)
    const { outcome } = await commit(undefined, [answer], { signal })
    expect(outcome).toMatchObject({
      outcome: 'unknown',
      isWorking: true,
      step: { ...STEP, publishId: 'p_1' },
    })
  })

  test.each<[Answer, object]>([
    [refusal(401, 'access_token_invalid'), { outcome: 'reauth' }],
    [
      refusal(403, 'url_ownership_unverified'),
      { outcome: 'permanent', message: expect.stringContaining('verify') },
    ],
    [
      refusal(403, 'privacy_level_option_mismatch'),
      { outcome: 'permanent', errorCode: 'invalid_options' },
    ],
    [refusal(403, 'spam_risk_too_many_posts'), { outcome: 'rate_limited' }],
    [refusal(429, 'rate_limit_exceeded'), { outcome: 'rate_limited' }],
    [refusal(400, 'invalid_params'), { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [refusal(200, 'invalid_params'), { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [refusal(200, 'something_new'), { outcome: 'unknown' }],
    [refusal(500, 'internal_error'), { outcome: 'unknown' }],
    [{ status: 302, body: '' }, { outcome: 'unknown' }],
    [{ body: '<html>' }, { outcome: 'unknown' }],
    [ok({}), { outcome: 'unknown' }],
  ])('answered with %j', async (content, expected) => {
    const { outcome, received } = await commit(content, [])
    expect(outcome).toMatchObject(expected)
    expect(calls(received)).toEqual(['content/init'])
  })

  test('is not known to have been made when the connection is cut off, and certainly not when nobody listens', async () => {
    await using cutting = await scriptedServer((_, response) => {
      response.destroy()
      return undefined
    })
    await using server = await aServer({})
    for (const [apiUrl, outcome] of [
      [cutting.url, 'unknown'],
      [await closedPort(), 'transient'],
    ])
      expect(
        await tiktok.commit(
          server.input({ media: PHOTOS, step: STEP, settings: { apiUrl: apiUrl ?? '' } }),
        ),
      ).toMatchObject({ outcome })
  })

  test('is not made without one of its pictures', async () => {
    for (const step of [{}, { ...STEP, urls: { med_1: URLS.med_1 } }]) {
      const { outcome, received } = await commit(undefined, [], { step })
      expect(outcome).toMatchObject({ outcome: 'permanent', errorCode: 'media_missing' })
      expect(received).toEqual([])
    }
  })
})

describe('looking up photos on TikTok', () => {
  const AT = 1_763_717_400
  const post = (id: string, ahead: number, text: string) => ({
    id,
    create_time: AT + ahead,
    title: '',
    video_description: text,
    share_url: 'https://x',
  })
  const OURS = post('77', 1, 'Hello')
  const OPEN = { cannotTell: expect.any(String) }

  async function lookUp(list: Answer, overrides: object = {}, states: Answer[] = []) {
    const date = new Date().toUTCString()
    await using server = await aServer({ list: { ...list, headers: { date } }, states })
    const calledAt = new Date(AT * 1000).toISOString()
    return await tiktok.lookUp(server.input({ media: PHOTOS, step: STEP, calledAt, ...overrides }))
  }

  test.each<[string, Answer, object]>([
    ['published', state('PUBLISH_COMPLETE', {}, ['78']), { found: { platformPostId: '78' } }],
    ['at work', state('PROCESSING_DOWNLOAD'), { pending: expect.any(String) }],
    [
      'failed',
      state('FAILED', { fail_reason: 'spam_risk' }),
      { refused: { errorCode: 'platform_rejected' } },
    ],
    ['nothing readable', { status: 500, body: '' }, { found: { platformPostId: '77' } }],
  ])(
    'goes by what TikTok says of the publishing when its id is known, or else by the list: %s',
    async (_, answer, expected) => {
      const list = ok({ videos: [OURS] })
      const step = { ...STEP, publishId: 'p_1' }
      expect(await lookUp(list, { step }, [answer])).toMatchObject(expected)
    },
  )

  test.each<[string, object[], object, object]>([
    [
      'finds the one with its text',
      [post('9', 9, 'Other'), OURS],
      {},
      { found: { platformPostId: '77', url: 'https://tok.example/@ada/photo/77' } },
    ],
    [
      'knows its text with other spaces',
      [post('77', 1, 'Hello  there\n')],
      { text: 'Hello there' },
      { found: { platformPostId: '77' } },
    ],
    [
      'says that it is not there when none has its text',
      [post('9', 9, 'Other')],
      {},
      { absent: true },
    ],
    ['minds none that is older', [post('1', -60, 'Hello')], {}, { absent: true }],
    ['cannot tell of two', [OURS, post('78', 2, 'Hello')], {}, OPEN],
    ['takes none for one without a text', [post('1', 1, '')], { text: '' }, { absent: true }],
    ['cannot tell of one that is not listed', [], { options: { privacyLevel: 'SELF_ONLY' } }, OPEN],
  ])('%s', async (_, videos, overrides, expected) => {
    expect(await lookUp(ok({ videos, cursor: 0, has_more: false }), overrides)).toMatchObject(
      expected,
    )
  })

  test.each<Answer>([
    refusal(401, 'scope_not_authorized'),
    { status: 500, body: '' },
    { body: 'x' },
  ])('cannot tell when it is answered with %j', async (list) => {
    expect(await lookUp(list)).toEqual(OPEN)
  })

  test('cannot tell when nobody listens', async () => {
    await using server = await aServer({})
    const settings = { apiUrl: await closedPort() }
    expect(await tiktok.lookUp(server.input({ media: PHOTOS, settings }))).toEqual(OPEN)
  })
})
