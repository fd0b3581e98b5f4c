import { describe, expect, test } from 'vitest'
import { instagramConnector as instagram } from '../src/instagram/connector.ts'
import type { LookUpInput, PublishFile } from '../src/platform.ts'
import { formOf, graphRefusal, graphServer } from './graph-server.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort } from './scripted-server.ts'

const FINISHED = { body: { id: '11', status_code: 'FINISHED', status: 'Finished' } }
const READY = { items: {}, root: { id: '11', isFinished: true, madeAt: Date.now() } }
const picture = aPublishFile('med_1', 'image', { altText: 'A boat' })
const video = aPublishFile('med_2', 'video', { altText: 'Waves' })

function inputFor(url: string, overrides: Partial<LookUpInput> = {}) {
  const settings = { apiUrl: url, apiVersion: 'v25.0', webUrl: 'https://www.instagram.com' }
  return aPublishInput({ settings, account: '1', media: [picture], ...overrides })
}

async function prepare(
  answers: Record<string, Answer | Answer[]>,
  overrides: Partial<LookUpInput> = {},
) {
  await using server = await graphServer({
    'POST /v25.0/1/media': ['11', '12', '13'].map((id) => ({ body: { id } })),
    'GET /v25.0/11': FINISHED,
    'GET /v25.0/12': FINISHED,
    'GET /v25.0/13': FINISHED,
    ...answers,
  })
  const outcome = await instagram.prepare(inputFor(server.url, overrides))
  const forms = server.received.filter(({ method }) => method === 'POST').map(formOf)
  return { outcome, forms, received: server.received }
}

describe('preparing a post for Instagram', () => {
  test.each<[string, PublishFile[], Record<string, unknown>, Record<string, string>[]]>([
    [
      'a picture with its alt text',
      [picture],
      {},
      [{ image_url: picture.url, alt_text: 'A boat', caption: 'Hello' }],
    ],
    [
      'a reel, which has no alt text',
      [video],
      { shareToFeed: false, coverOffsetMs: 1500 },
      [
        {
          media_type: 'REELS',
          video_url: video.url,
          share_to_feed: 'false',
          thumb_offset: '1500',
          caption: 'Hello',
        },
      ],
    ],
    [
      'a story of a picture, which has no text',
      [picture],
      { story: true },
      [{ media_type: 'STORIES', image_url: picture.url }],
    ],
    [
      'a story of a video',
      [video],
      { story: true },
      [{ media_type: 'STORIES', video_url: video.url }],
    ],
    [
      'a carousel',
      [picture, video],
      {},
      [
        { image_url: picture.url, alt_text: 'A boat', is_carousel_item: 'true' },
        { media_type: 'VIDEO', video_url: video.url, is_carousel_item: 'true' },
        { media_type: 'CAROUSEL', children: '11,12', caption: 'Hello' },
      ],
    ],
  ])('makes the containers of %s', async (_, media, options, expected) => {
    const { outcome, forms } = await prepare({}, { media, options })
    expect(outcome).toMatchObject({ outcome: 'ready' })
    expect(forms).toEqual(expected)
  })

  test('asks for a JPEG', async () => {
    const asked: unknown[] = []
    const imageUrl: PublishFile['imageUrl'] = (limits) => {
      asked.push(limits)
      return picture.imageUrl(limits)
    }
    await prepare({}, { media: [{ ...picture, imageUrl }] })
    expect(asked).toEqual([{ mimeTypes: ['image/jpeg'], maxBytes: 8_000_000, maxWidth: 1440 }])
  })

  test('needs a file', async () => {
    const { outcome, received } = await prepare({}, { media: [] })
    expect(outcome).toMatchObject({ outcome: 'permanent', errorCode: 'media_missing' })
    expect(received).toEqual([])
  })

  test.each<[string, object]>([
    ['2207026', { outcome: 'permanent', errorCode: 'media_unfit' }],
    ['2207009', { outcome: 'permanent', errorCode: 'media_unfit' }],
    ['2207052', { outcome: 'transient' }],
    ['2207082', { outcome: 'transient' }],
  ])('with a container that failed with %s', async (subcode, expected) => {
    const status = `Error: Media upload has failed with error code ${subcode}`
    const failed = { body: { status_code: 'ERROR', status } }
    const { outcome } = await prepare({ 'GET /v25.0/11': failed })
    expect(outcome).toMatchObject(expected)
  })
})

describe('the call that makes a post live on Instagram', () => {
  test.each<[Answer, object]>([
    [graphRefusal(190, 460), { outcome: 'reauth' }],
    [graphRefusal(10), { outcome: 'permanent', errorCode: 'missing_permission' }],
    [graphRefusal(100, 33), { outcome: 'permanent', errorCode: 'missing_permission' }],
    [graphRefusal(9007, 2207027), { outcome: 'transient' }],
    [graphRefusal(9004, 2207052), { outcome: 'transient' }],
    [graphRefusal(-2, 2207003), { outcome: 'transient' }],
    [graphRefusal(-1, 2207032), { outcome: 'transient' }],
    [graphRefusal(-1, 2207001), { outcome: 'unknown' }],
    [graphRefusal(2), { outcome: 'unknown' }],
    [graphRefusal(9, 2207042), { outcome: 'rate_limited' }],
    [graphRefusal(80002), { outcome: 'rate_limited' }],
    [graphRefusal(4, 2207051), { outcome: 'permanent', errorCode: 'account_suspended' }],
    [graphRefusal(25, 2207050), { outcome: 'permanent', errorCode: 'account_suspended' }],
    [graphRefusal(36000, 2207004), { outcome: 'permanent', errorCode: 'media_unfit' }],
    [graphRefusal(36001, 2207005), { outcome: 'permanent', errorCode: 'media_unfit' }],
    [graphRefusal(36003, 2207009), { outcome: 'permanent', errorCode: 'media_unfit' }],
    [graphRefusal(352, 2207026), { outcome: 'permanent', errorCode: 'media_unfit' }],
    [graphRefusal(36004, 2207010), { outcome: 'permanent', errorCode: 'text_too_long' }],
    [graphRefusal(100, 2207028), { outcome: 'permanent', errorCode: 'media_mix' }],
    [graphRefusal(1, 2207057), { outcome: 'permanent', errorCode: 'invalid_options' }],
    [graphRefusal(100), { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [{ status: 500, body: '' }, { outcome: 'unknown' }],
    [{ body: '' }, { outcome: 'unknown' }],
  ])('answered with %j', async (answer, expected) => {
    await using server = await graphServer({ 'POST /v25.0/1/media_publish': answer })
    expect(await instagram.commit(inputFor(server.url, { step: READY }))).toMatchObject(expected)
    expect(server.received.length).toBe(1)
  })

  test.each<[string, Answer, object]>([
    ['is over', { body: { status_code: 'EXPIRED' } }, { outcome: 'unprepared' }],
    ['has failed', { body: { status_code: 'ERROR' } }, { outcome: 'unprepared' }],
    ['is unknown', graphRefusal(100, 33), { outcome: 'unprepared' }],
    ['is there', { body: { status_code: 'FINISHED' } }, { outcome: 'transient' }],
    ['is published', { body: { status_code: 'PUBLISHED' } }, { outcome: 'unknown' }],
    ['cannot be asked for', { status: 500, body: '' }, { outcome: 'transient' }],
  ])(
    'that Instagram does not know the container of is prepared again only when it %s',
    async (_, state, expected) => {
      for (const subcode of [2207006, 2207008]) {
        await using server = await graphServer({
          'POST /v25.0/1/media_publish': graphRefusal(24, subcode),
          'GET /v25.0/11': state,
        })
        const outcome = await instagram.commit(inputFor(server.url, { step: READY }))
        expect(outcome).toMatchObject(expected)
      }
    },
  )

  test('says how long to wait when the platform does', async () => {
    const headers = {
      'x-business-use-case-usage': '{"1":[{"estimated_time_to_regain_access":3}]}',
    }
    await using server = await graphServer({
      'POST /v25.0/1/media_publish': { ...graphRefusal(80002), headers },
    })
    const earliest = Date.now() + 180_000
    const outcome = await instagram.commit(inputFor(server.url, { step: READY }))
    if (outcome.outcome !== 'rate_limited') throw new Error(outcome.outcome)
    expect(outcome.retryAt).toBeGreaterThanOrEqual(earliest)
  })

  test('has certainly not happened when nobody listens', async () => {
    const input = inputFor(await closedPort(), { step: READY })
    expect(await instagram.commit(input)).toMatchObject({ outcome: 'transient' })
  })
})

test.each([
  ['story', { story: true }, 'stories'],
  ['post', {}, 'media'],
])('a %s of unknown outcome is looked for where such are listed', async (_, options, edge) => {
  const now = new Date().toISOString()
  const text = edge === 'stories' ? '' : 'Hello'
  const live = {
    id: '22',
    permalink: 'https://www.instagram.com/p/x/',
    timestamp: now,
    caption: text,
  }
  await using server = await graphServer({
    'GET /v25.0/11': { body: { status_code: 'PUBLISHED' } },
    [`GET /v25.0/1/${edge}`]: { body: { data: [live] } },
  })
  const input = inputFor(server.url, { step: READY, options, text, calledAt: now })
  expect(await instagram.lookUp(input)).toEqual({
    found: { platformPostId: '22', url: live.permalink, publishedAt: now },
  })
})

test('whose token it is, is told by the id of the professional account', async () => {
  await using server = await graphServer({
    'GET /v25.0/me': { body: { id: '2', user_id: 17841400000000001n.toString(), username: 'ada' } },
  })
  const settings = { apiUrl: server.url, apiVersion: 'v25.0' }
  const credentials = { accessToken: 'long-1' }
  expect(await instagram.identify({ baseUrl: '', settings, credentials })).toMatchObject({
    account: '17841400000000001',
    username: 'ada',
    name: 'ada',
    expiresAt: null,
  })
})
