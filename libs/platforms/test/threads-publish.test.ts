import { describe, expect, test } from 'vitest'
import type { LookUpInput, PublishFile } from '../src/platform.ts'
import { threadsConnector as threads } from '../src/threads/connector.ts'
import { calls, formOf, graphRefusal, graphServer } from './graph-server.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort } from './scripted-server.ts'

const QUOTA = { body: { data: [{ quota_usage: 3, config: { quota_total: 250 } }] } }
const FINISHED = { body: { id: '11', status: 'FINISHED' } }
const WORKING = { body: { id: '11', status: 'IN_PROGRESS' } }
const POST = {
  id: '22',
  permalink: 'https://www.threads.net/@ada/post/Dx',
  timestamp: '2026-11-21T09:30:01+0000',
}
const container = (id: string, isFinished = true) => ({
  id,
  isFinished,
  madeAt: expect.any(Number),
})
const READY = { items: {}, root: { id: '11', isFinished: true, madeAt: Date.now() } }

function inputFor(url: string, overrides: Partial<LookUpInput> = {}) {
  const settings = { apiUrl: url, apiVersion: 'v1.0', webUrl: 'https://www.threads.net' }
  return aPublishInput({ settings, account: '1', ...overrides })
}

async function prepare(
  answers: Record<string, Answer | Answer[]>,
  overrides: Partial<LookUpInput> = {},
) {
  await using server = await graphServer({
    'GET /v1.0/1/threads_publishing_limit': QUOTA,
    'POST /v1.0/1/threads': { body: { id: '11' } },
    'GET /v1.0/11': FINISHED,
    ...answers,
  })
  const kept: unknown[] = []
  const onStep = async (step: unknown) => void kept.push(step)
  const outcome = await threads.prepare({ ...inputFor(server.url, overrides), onStep })
  return { outcome, kept, received: server.received }
}

describe('preparing a post for Threads', () => {
  test('makes a container of a text, under the token, and waits for it', async () => {
    const { outcome, kept, received } = await prepare(
      { 'GET /v1.0/11': [WORKING, WORKING, FINISHED] },
      { options: { replyControl: 'everyone', topicTag: 'Boats', link: 'https://a.example' } },
    )
    expect(outcome).toEqual({ outcome: 'ready', step: { items: {}, root: container('11') } })
    expect(kept[0]).toEqual({ items: {}, root: container('11', false) })
    expect(calls(received)).toEqual([
      'GET /v1.0/1/threads_publishing_limit',
      'POST /v1.0/1/threads',
      ...Array(3).fill('GET /v1.0/11'),
    ])
    expect(received[1]!.headers['authorization']).toBe('Bearer token-1')
    expect(formOf(received[1]!)).toEqual({
      media_type: 'TEXT',
      text: 'Hello',
      reply_control: 'everyone',
      topic_tag: 'Boats',
      link_attachment: 'https://a.example',
    })
  })

  test.each<[string, PublishFile, Record<string, string>]>([
    [
      'a picture',
      aPublishFile('med_1', 'image', { altText: 'A boat' }),
      { media_type: 'IMAGE', image_url: 'https://files.example/med_1', alt_text: 'A boat' },
    ],
    [
      'the first frame of an animated one',
      aPublishFile('med_1', 'gif'),
      { media_type: 'IMAGE', image_url: 'https://files.example/med_1' },
    ],
    [
      'a video',
      aPublishFile('med_1', 'video'),
      { media_type: 'VIDEO', video_url: 'https://files.example/med_1' },
    ],
  ])('names the address of %s', async (_, file, fields) => {
    const { received } = await prepare({}, { media: [file], text: '' })
    expect(formOf(received[1]!)).toEqual(fields)
  })

  test('makes a container of each of several files, and of all of them', async () => {
    const media = [aPublishFile('med_1', 'image'), aPublishFile('med_2', 'video')]
    const { outcome, received } = await prepare(
      {
        'POST /v1.0/1/threads': ['11', '12', '13'].map((id) => ({ body: { id } })),
        'GET /v1.0/12': FINISHED,
        'GET /v1.0/13': FINISHED,
      },
      { media },
    )
    expect(outcome).toEqual({
      outcome: 'ready',
      step: { items: { med_1: container('11'), med_2: container('12') }, root: container('13') },
    })
    const forms = received.filter(({ method }) => method === 'POST').map(formOf)
    expect(forms).toEqual([
      expect.objectContaining({ media_type: 'IMAGE', is_carousel_item: 'true' }),
      expect.objectContaining({ media_type: 'VIDEO', is_carousel_item: 'true' }),
      { media_type: 'CAROUSEL', children: '11,12', text: 'Hello' },
    ])
  })

  test('asks for a picture in a type and size that Threads takes', async () => {
    const asked: unknown[] = []
    const picture = aPublishFile('med_1', 'image')
    const imageUrl: PublishFile['imageUrl'] = (limits) => {
      asked.push(limits)
      return picture.imageUrl(limits)
    }
    await prepare({}, { media: [{ ...picture, imageUrl }] })
    expect(asked).toEqual([
      { mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 8_000_000, maxWidth: 1440 },
    ])
  })

  test('makes no call when all is done', async () => {
    const { outcome, received } = await prepare({}, { step: READY })
    expect(outcome).toEqual({ outcome: 'ready', step: READY })
    expect(received).toEqual([])
  })

  test('goes on waiting for a container that is kept', async () => {
    const step = { items: {}, root: { ...READY.root, isFinished: false } }
    const { outcome, received } = await prepare({}, { step })
    expect(outcome).toMatchObject({ outcome: 'ready' })
    expect(calls(received).slice(1)).toEqual(['GET /v1.0/11'])
  })

  test('makes a container again that will have expired when it is published', async () => {
    const step = { items: {}, root: { ...READY.root, madeAt: Date.now() - 23.5 * 3_600_000 } }
    const { received } = await prepare({}, { step })
    expect(calls(received)).toContain('POST /v1.0/1/threads')
  })

  test('is put off when the quota of the day is used up', async () => {
    const quota = { body: { data: [{ quota_usage: 250, config: { quota_total: 250 } }] } }
    const { outcome, received } = await prepare({ 'GET /v1.0/1/threads_publishing_limit': quota })
    expect(outcome).toMatchObject({ outcome: 'rate_limited', retryAt: expect.any(Number) })
    expect(received.length).toBe(1)
  })

  test.each<[string, Answer]>([
    ['silence', { status: 500, body: '' }],
    ['nonsense', { body: '<html>' }],
    ['an unknown refusal', graphRefusal(100)],
  ])('goes on when the quota is answered with %s', async (_, quota) => {
    const { outcome } = await prepare({ 'GET /v1.0/1/threads_publishing_limit': quota })
    expect(outcome).toMatchObject({ outcome: 'ready' })
  })

  test.each<[Answer, object, boolean]>([
    [{ body: { status: 'EXPIRED' } }, { outcome: 'transient' }, false],
    [
      { body: { status: 'ERROR', error_message: 'INVALID_DURATION' } },
      { outcome: 'permanent', errorCode: 'media_unfit' },
      false,
    ],
    [
      { body: { status: 'ERROR', error_message: 'FAILED_DOWNLOADING_VIDEO' } },
      { outcome: 'transient' },
      false,
    ],
    [{ body: { status: 'ERROR' } }, { outcome: 'transient' }, false],
    [{ body: { status: 'ODD' } }, { outcome: 'transient' }, true],
    [{ status: 503, body: '' }, { outcome: 'transient' }, true],
    [graphRefusal(190, 463), { outcome: 'reauth' }, true],
  ])('with a container that is answered with %j', async (state, expected, isKept) => {
    const { outcome, kept } = await prepare({ 'GET /v1.0/11': state })
    expect(outcome).toMatchObject(expected)
    const last = { items: {}, root: container('11', false) }
    expect(kept.at(-1)).toEqual(isKept ? last : { items: {} })
  })
})

const REFUSALS: [Answer, object][] = [
  [graphRefusal(190, 463), { outcome: 'reauth' }],
  [graphRefusal(190, 458), { outcome: 'reauth' }],
  [graphRefusal(10), { outcome: 'permanent', errorCode: 'missing_permission' }],
  [graphRefusal(200), { outcome: 'permanent', errorCode: 'missing_permission' }],
  [graphRefusal(100, 33), { outcome: 'permanent', errorCode: 'missing_permission' }],
  [graphRefusal(24, 4279013), { outcome: 'permanent', errorCode: 'account_suspended' }],
  [graphRefusal(25, 2207051), { outcome: 'permanent', errorCode: 'account_suspended' }],
  [graphRefusal(368), { outcome: 'permanent', errorCode: 'account_suspended' }],
  [graphRefusal(9, 2207042), { outcome: 'rate_limited' }],
  [graphRefusal(4), { outcome: 'rate_limited', retryAt: null }],
  [graphRefusal(613, undefined, 'Calls', { is_transient: true }), { outcome: 'rate_limited' }],
  [
    graphRefusal(24, undefined, 'THREADS_API__LINK_LIMIT_EXCEEDED'),
    { outcome: 'permanent', errorCode: 'too_many_links' },
  ],
  [
    graphRefusal(100, undefined, 'Param text must be at most 500 characters long.'),
    { outcome: 'permanent', errorCode: 'text_too_long' },
  ],
  [graphRefusal(36003, 2207009), { outcome: 'permanent', errorCode: 'media_unfit' }],
  [
    graphRefusal(100, undefined, 'x', { error_user_msg: 'Param odd' }),
    {
      outcome: 'permanent',
      errorCode: 'platform_rejected',
      message: 'Threads refused the post: Param odd',
    },
  ],
  [{ status: 429, body: '' }, { outcome: 'rate_limited' }],
  [graphRefusal(1), { outcome: 'unknown' }],
  [graphRefusal(2), { outcome: 'unknown' }],
  [graphRefusal(100, undefined, 'x', { is_transient: true }), { outcome: 'unknown' }],
  [{ status: 408, body: '' }, { outcome: 'unknown' }],
  [{ status: 302, body: '' }, { outcome: 'unknown' }],
  [{ status: 500, body: '' }, { outcome: 'unknown' }],
  [{ body: '<html>' }, { outcome: 'unknown' }],
  [{ body: { id: '' } }, { outcome: 'unknown' }],
]

describe('the call that makes a post live on Threads', () => {
  test('names the container, and answers where the post is', async () => {
    await using server = await graphServer({
      'POST /v1.0/1/threads_publish': { body: { id: '22' } },
      'GET /v1.0/22': { body: POST },
    })
    expect(await threads.commit(inputFor(server.url, { step: READY }))).toEqual({
      outcome: 'published',
      platformPostId: '22',
      url: POST.permalink,
      publishedAt: '2026-11-21T09:30:01.000Z',
    })
    expect(formOf(server.received[0]!)).toEqual({ creation_id: '11' })
  })

  test('answers the profile when nobody tells where the post is, and is not made again', async () => {
    await using server = await graphServer({
      'POST /v1.0/1/threads_publish': { body: { id: '22' } },
      'GET /v1.0/22': { status: 500, body: '' },
    })
    expect(await threads.commit(inputFor(server.url, { step: READY }))).toMatchObject({
      outcome: 'published',
      platformPostId: '22',
      url: 'https://www.threads.net/@ada',
    })
    expect(calls(server.received).filter((call) => call.startsWith('POST')).length).toBe(1)
  })

  test.each<[string, Answer, object]>([
    ['is over', { body: { status: 'EXPIRED' } }, { outcome: 'unprepared' }],
    ['is unknown', graphRefusal(100, 33), { outcome: 'unprepared' }],
    ['is there', FINISHED, { outcome: 'transient' }],
    ['is worked on', WORKING, { outcome: 'transient' }],
    ['is published', { body: { status: 'PUBLISHED' } }, { outcome: 'unknown' }],
    ['cannot be asked for', { status: 500, body: '' }, { outcome: 'transient' }],
  ])(
    'that Threads does not know the container of is prepared again only when it %s',
    async (_, state, expected) => {
      await using server = await graphServer({
        'POST /v1.0/1/threads_publish': graphRefusal(24, 4279009),
        'GET /v1.0/11': state,
      })
      const outcome = await threads.commit(inputFor(server.url, { step: READY }))
      expect(outcome).toMatchObject(expected)
    },
  )

  test.each(REFUSALS)('answered with %j', async (answer, expected) => {
    await using server = await graphServer({ 'POST /v1.0/1/threads_publish': answer })
    const outcome = await threads.commit(inputFor(server.url, { step: READY }))
    expect(outcome).toMatchObject(expected)
    expect(server.received.length).toBe(1)
    const preparing = await prepare({ 'POST /v1.0/1/threads': answer })
    // Nothing is live before the call, so nothing is in doubt.
    const isUnknown = outcome.outcome === 'unknown'
    expect(preparing.outcome).toMatchObject(isUnknown ? { outcome: 'transient' } : expected)
  })

  test('is not made for a post that was not prepared', async () => {
    expect(await threads.commit(inputFor(await closedPort()))).toMatchObject({
      outcome: 'permanent',
    })
  })

  test('has certainly not happened when nobody listens', async () => {
    const input = inputFor(await closedPort(), { step: READY })
    expect(await threads.commit(input)).toMatchObject({ outcome: 'transient' })
  })
})

describe('a call of unknown outcome', () => {
  const now = new Date().toISOString()
  const published = { body: { status: 'PUBLISHED' } }
  const post = (text: string, more: object = {}) => ({ ...POST, text, timestamp: now, ...more })

  test.each<[string, Answer, object[], object]>([
    ['is absent while the container waits', FINISHED, [], { absent: true }],
    [
      'is absent when the container has expired',
      { body: { status: 'EXPIRED' } },
      [],
      { absent: true },
    ],
    ['is open while Threads works on it', WORKING, [], { pending: expect.any(String) }],
    [
      'is refused when the container failed',
      { body: { status: 'ERROR', error_message: 'INVALID_BIT_RATE' } },
      [],
      { refused: { errorCode: 'media_unfit', message: expect.any(String) } },
    ],
    [
      'is open when nobody can tell',
      { status: 500, body: '' },
      [],
      { cannotTell: expect.any(String) },
    ],
    [
      'is found by its text',
      published,
      [post('Other', { id: '23' }), post(' Hello\n')],
      { found: { platformPostId: '22', url: POST.permalink } },
    ],
    [
      'is found when it is the only post since',
      published,
      [post('Changed'), post('Hello', { id: '9', timestamp: '2020-01-01T00:00:00+0000' })],
      { found: { platformPostId: '22' } },
    ],
    [
      'is open while it is not listed',
      published,
      [post('Hello', { timestamp: '2020-01-01T00:00:00+0000' })],
      { pending: expect.any(String) },
    ],
  ])('%s', async (_, state, data, expected) => {
    await using server = await graphServer({
      'GET /v1.0/11': state,
      'GET /v1.0/1/threads': { body: { data } },
    })
    const input = inputFor(server.url, { step: READY, calledAt: now })
    expect(await threads.lookUp(input)).toMatchObject(expected)
  })

  test('that is published but never listed is found at the profile', async () => {
    await using server = await graphServer({
      'GET /v1.0/11': published,
      'GET /v1.0/1/threads': { status: 500, body: '' },
    })
    const calledAt = new Date(Date.now() - 600_000).toISOString()
    const input = inputFor(server.url, { step: READY, calledAt })
    expect(await threads.lookUp(input)).toEqual({
      found: {
        platformPostId: '11',
        url: 'https://www.threads.net/@ada',
        publishedAt: calledAt,
      },
    })
  })
})
