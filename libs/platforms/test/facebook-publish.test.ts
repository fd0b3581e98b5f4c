import { describe, expect, test } from 'vitest'
import { facebookConnector as facebook } from '../src/facebook/connector.ts'
import type { LookUpInput } from '../src/platform.ts'
import { calls, formOf, graphRefusal, graphServer } from './graph-server.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort } from './scripted-server.ts'

const pictures = [
  aPublishFile('med_1', 'image', { altText: 'A boat' }),
  aPublishFile('med_2', 'gif'),
]
const video = aPublishFile('med_1', 'video')
const PHOTOS = { photos: { med_1: '31', med_2: '32' } }
const REEL = { photos: {}, reel: { id: '41', isFetched: true } }
const POSTED = {
  id: '1_22',
  permalink_url: 'https://www.facebook.com/1/posts/22',
  created_time: '2026-11-21T09:30:01+0000',
}

function inputFor(url: string, overrides: Partial<LookUpInput> = {}) {
  const settings = { apiUrl: url, apiVersion: 'v25.0', webUrl: 'https://www.facebook.com' }
  return aPublishInput({ settings, account: '1', ...overrides })
}

const state = (whole: string, uploading: string, processing: string, publishing: string) => ({
  id: '41',
  permalink_url: '/reel/41/',
  created_time: '2026-11-21T09:30:01+0000',
  status: {
    video_status: whole,
    uploading_phase: { status: uploading },
    processing_phase: { status: processing },
    publishing_phase: { status: publishing },
  },
})
const UPLOADED = state('upload_complete', 'complete', 'not_started', 'not_started')
const WORKING = state('processing', 'complete', 'in_progress', 'not_started')
const LIVE = state('ready', 'complete', 'complete', 'complete')
const BROKEN = state('error', 'complete', 'error', 'not_started')
const UNFETCHED = state('error', 'error', 'not_started', 'not_started')

describe('preparing a post for Facebook', () => {
  test('has nothing to do for a text or a video', async () => {
    const url = await closedPort()
    for (const media of [[], [video]])
      expect(await facebook.prepare(inputFor(url, { media }))).toMatchObject({ outcome: 'ready' })
  })

  test('brings pictures that nobody sees yet, and keeps each', async () => {
    await using server = await graphServer({
      'POST /v25.0/1/photos': [{ body: { id: '31' } }, { body: { id: '32' } }],
    })
    const kept: unknown[] = []
    const onStep = async (step: unknown) => void kept.push(step)
    const input = inputFor(server.url, { media: pictures })
    expect(await facebook.prepare({ ...input, onStep })).toEqual({ outcome: 'ready', step: PHOTOS })
    expect(kept).toEqual([{ photos: { med_1: '31' } }, PHOTOS])
    expect(server.received.map(formOf)).toEqual([
      { url: 'https://files.example/med_1', published: 'false', alt_text_custom: 'A boat' },
      { url: 'https://files.example/med_2', published: 'false' },
    ])
    expect(await facebook.prepare({ ...input, step: PHOTOS })).toMatchObject({ outcome: 'ready' })
    expect(server.received.length).toBe(2)
  })

  test('begins a reel, names the address of its video where Facebook said, and waits for it', async () => {
    const uploading = state('uploading', 'in_progress', 'not_started', 'not_started')
    const answers: Record<string, Answer | Answer[]> = {
      'POST /upload/41': { body: { success: true } },
      'GET /v25.0/41': [{ body: uploading }, { body: UPLOADED }],
    }
    await using uploads = await graphServer(answers)
    await using server = await graphServer({
      'POST /v25.0/1/video_reels': {
        body: { video_id: '41', upload_url: `${uploads.url}/upload/41` },
      },
      ...answers,
    })
    const input = inputFor(server.url, { media: [video], options: { reel: true } })
    expect(await facebook.prepare(input)).toEqual({ outcome: 'ready', step: REEL })
    expect(formOf(server.received[0]!)).toEqual({ upload_phase: 'start' })
    expect(uploads.received[0]!.headers).toMatchObject({
      authorization: 'OAuth token-1',
      file_url: 'https://files.example/med_1',
      'content-length': '0',
    })
  })

  test.each<[object, object]>([
    [UNFETCHED, { outcome: 'transient' }],
    [BROKEN, { outcome: 'permanent', errorCode: 'media_unfit' }],
  ])('forgets a reel whose video cannot be had: %j', async (told, expected) => {
    await using server = await graphServer({ 'GET /v25.0/41': { body: told } })
    const kept: unknown[] = []
    const onStep = async (step: unknown) => void kept.push(step)
    const step = { photos: {}, reel: { id: '41', isFetched: false } }
    const input = inputFor(server.url, { media: [video], options: { reel: true }, step })
    expect(await facebook.prepare({ ...input, onStep })).toMatchObject(expected)
    expect(kept).toEqual([{ photos: {} }])
  })

  test('of a reel ends when the token is refused', async () => {
    await using server = await graphServer({ 'GET /v25.0/41': graphRefusal(190) })
    const step = { photos: {}, reel: { id: '41', isFetched: false } }
    const input = inputFor(server.url, { media: [video], options: { reel: true }, step })
    expect(await facebook.prepare(input)).toMatchObject({ outcome: 'reauth' })
  })
})

describe('the call that makes a post live on Facebook', () => {
  test('carries the text and the link, and answers where the post is', async () => {
    await using server = await graphServer({ 'POST /v25.0/1/feed': { body: POSTED } })
    const input = inputFor(server.url, { options: { link: 'https://a.example' } })
    expect(await facebook.commit(input)).toEqual({
      outcome: 'published',
      platformPostId: '1_22',
      url: POSTED.permalink_url,
      publishedAt: '2026-11-21T09:30:01.000Z',
    })
    expect(formOf(server.received[0]!)).toMatchObject({
      message: 'Hello',
      link: 'https://a.example',
      published: 'true',
    })
  })

  test('names the pictures in the order of the post', async () => {
    await using server = await graphServer({ 'POST /v25.0/1/feed': { body: { id: '1_22' } } })
    const input = inputFor(server.url, { media: pictures.toReversed(), step: PHOTOS, text: '' })
    expect(await facebook.commit(input)).toMatchObject({ url: 'https://www.facebook.com/1_22' })
    const form = formOf(server.received[0]!)
    expect(form).not.toHaveProperty('message')
    expect(JSON.parse(form['attached_media'] ?? '')).toEqual([
      { media_fbid: '32' },
      { media_fbid: '31' },
    ])
  })

  test('is not made without one of the pictures, or without the reel', async () => {
    const url = await closedPort()
    const missing = { outcome: 'permanent', errorCode: 'media_missing' }
    const step = { photos: { med_1: '31' } }
    expect(await facebook.commit(inputFor(url, { media: pictures, step }))).toMatchObject(missing)
    const reel = inputFor(url, { media: [video], options: { reel: true } })
    expect(await facebook.commit(reel)).toMatchObject(missing)
  })

  test('finishes a reel and waits until it is out', async () => {
    await using server = await graphServer({
      'POST /v25.0/1/video_reels': { body: { success: true } },
      'GET /v25.0/41': [UPLOADED, WORKING, LIVE].map((body) => ({ body })),
    })
    const options = { reel: true, title: 'Boats' }
    const input = inputFor(server.url, { media: [video], options, step: REEL })
    expect(await facebook.commit(input)).toEqual({
      outcome: 'published',
      platformPostId: '41',
      url: 'https://www.facebook.com/reel/41/',
      publishedAt: '2026-11-21T09:30:01.000Z',
    })
    expect(formOf(server.received[0]!)).toEqual({
      upload_phase: 'finish',
      video_id: '41',
      video_state: 'PUBLISHED',
      description: 'Hello',
      title: 'Boats',
    })
    expect(calls(server.received).slice(1)).toEqual(Array(3).fill('GET /v25.0/41'))
  })

  test('has failed when the video turns out to be unusable', async () => {
    await using server = await graphServer({
      'POST /v25.0/1/videos': { body: { id: '41' } },
      'GET /v25.0/41': { body: BROKEN },
    })
    expect(await facebook.commit(inputFor(server.url, { media: [video] }))).toMatchObject({
      outcome: 'permanent',
      errorCode: 'media_unfit',
    })
    expect(formOf(server.received[0]!)).toEqual({
      file_url: 'https://files.example/med_1',
      description: 'Hello',
      published: 'true',
    })
  })

  test.each<[Answer, object]>([
    [graphRefusal(190, 460), { outcome: 'reauth' }],
    [graphRefusal(200), { outcome: 'permanent', errorCode: 'missing_permission' }],
    [graphRefusal(10), { outcome: 'permanent', errorCode: 'missing_permission' }],
    [graphRefusal(506, 1455006), { outcome: 'permanent', errorCode: 'duplicate' }],
    [
      graphRefusal(368, undefined, "You've already posted this."),
      { outcome: 'permanent', errorCode: 'duplicate' },
    ],
    [graphRefusal(368), { outcome: 'permanent', errorCode: 'account_suspended' }],
    [graphRefusal(32), { outcome: 'rate_limited' }],
    [graphRefusal(613), { outcome: 'rate_limited' }],
    [graphRefusal(1, 1390008), { outcome: 'rate_limited' }],
    [graphRefusal(100, 1346003), { outcome: 'permanent', errorCode: 'policy' }],
    [graphRefusal(100, 1609005), { outcome: 'permanent', errorCode: 'invalid_link' }],
    [graphRefusal(100, 1366046), { outcome: 'permanent', errorCode: 'media_unfit' }],
    [graphRefusal(389, 1363057), { outcome: 'transient' }],
    [graphRefusal(100, 1363030), { outcome: 'unprepared' }],
    [
      graphRefusal(100, undefined, 'Invalid media_fbid in attached_media'),
      { outcome: 'unprepared' },
    ],
    [graphRefusal(1, 4854002), { outcome: 'permanent', errorCode: 'account_suspended' }],
    [graphRefusal(100), { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [{ ...graphRefusal(2), status: 500 }, { outcome: 'unknown' }],
    [graphRefusal(1), { outcome: 'unknown' }],
    [{ status: 500, body: '' }, { outcome: 'unknown' }],
    [{ body: '<html>' }, { outcome: 'unknown' }],
    [{ body: {} }, { outcome: 'unknown' }],
  ])('answered with %j', async (answer, expected) => {
    await using server = await graphServer({
      'POST /v25.0/1/feed': answer,
      'POST /v25.0/1/videos': answer,
      'POST /v25.0/1/video_reels': answer,
    })
    const reel = { media: [video], options: { reel: true }, step: REEL }
    for (const overrides of [{}, { media: [video] }, reel])
      expect(await facebook.commit(inputFor(server.url, overrides))).toMatchObject(expected)
    expect(server.received.length).toBe(3)
  })

  test('has certainly not happened when nobody listens', async () => {
    expect(await facebook.commit(inputFor(await closedPort()))).toMatchObject({
      outcome: 'transient',
    })
  })
})

describe('a call of unknown outcome', () => {
  const now = new Date().toISOString()
  const old = '2020-01-01T00:00:00+0000'
  const post = (more: object) => ({ ...POSTED, created_time: now, ...more })
  const album = {
    data: [{ subattachments: { data: [{ target: { id: '31' } }, { target: { id: '32' } }] } }],
  }

  test.each<[string, object[], Partial<LookUpInput>, object]>([
    [
      'is found by its text',
      [post({ message: 'Hello\n' })],
      {},
      { found: { url: POSTED.permalink_url } },
    ],
    [
      'is absent when there is nothing since',
      [post({ message: 'Hello', created_time: old })],
      {},
      { absent: true },
    ],
    ['is absent when there are only others', [post({ message: 'Other' })], {}, { absent: true }],
    [
      'is open when it is there twice',
      [post({ message: 'Hello' }), post({ message: 'Hello' })],
      {},
      { cannotTell: expect.any(String) },
    ],
    [
      'is open when it is almost there',
      [post({ message: 'Hello!' })],
      {},
      { cannotTell: expect.any(String) },
    ],
    [
      'is open when the list does not reach back',
      Array.from({ length: 25 }, () => post({ message: 'Other' })),
      {},
      { cannotTell: expect.any(String) },
    ],
    [
      'is found by its pictures',
      [post({ message: 'Hello', id: '1_23' }), post({ attachments: album })],
      { media: pictures, step: PHOTOS },
      { found: { platformPostId: '1_22' } },
    ],
    [
      'is open when the text is there with other pictures',
      [post({ message: 'Hello' })],
      { media: pictures, step: PHOTOS },
      { cannotTell: expect.any(String) },
    ],
  ])('in the feed %s', async (_, data, overrides, expected) => {
    await using server = await graphServer({ 'GET /v25.0/1/feed': { body: { data } } })
    const input = inputFor(server.url, { calledAt: now, ...overrides })
    expect(await facebook.lookUp(input)).toMatchObject(expected)
  })

  test.each<[string, Answer, object]>([
    ['is found when it is out', { body: LIVE }, { found: { platformPostId: '41' } }],
    ['is absent when it was not published', { body: UPLOADED }, { absent: true }],
    ['is open while it is processed', { body: WORKING }, { pending: expect.any(String) }],
    ['is refused when it failed', { body: BROKEN }, { refused: { errorCode: 'media_unfit' } }],
    ['is open when nobody tells', { status: 500, body: '' }, { cannotTell: expect.any(String) }],
  ])('of a reel %s', async (_, answer, expected) => {
    await using server = await graphServer({ 'GET /v25.0/41': answer })
    const options = { reel: true }
    const input = inputFor(server.url, { media: [video], options, step: REEL, calledAt: now })
    expect(await facebook.lookUp(input)).toMatchObject(expected)
  })

  const listed = (more: object) => ({ ...LIVE, created_time: now, description: 'Hello', ...more })
  test.each<[string, object[], object]>([
    ['is found by its text', [listed({})], { found: { platformPostId: '41' } }],
    ['is absent when there is none since', [listed({ created_time: old })], { absent: true }],
    ['is open beside others', [listed({ description: 'x' })], { cannotTell: expect.any(String) }],
    [
      'is open when it is there twice',
      [listed({}), listed({})],
      { cannotTell: expect.any(String) },
    ],
    [
      'is refused when it failed',
      [listed({ status: BROKEN.status })],
      { refused: { errorCode: 'media_unfit' } },
    ],
  ])('of a video %s', async (_, data, expected) => {
    await using server = await graphServer({ 'GET /v25.0/1/videos': { body: { data } } })
    const input = inputFor(server.url, { media: [video], calledAt: now })
    expect(await facebook.lookUp(input)).toMatchObject(expected)
  })
})
