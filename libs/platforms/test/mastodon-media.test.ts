import { describe, expect, test } from 'vitest'
import { mastodonConnector as mastodon } from '../src/mastodon/connector.ts'
import type { ImageLimits, PublishFile } from '../src/platform.ts'
import { anInstance, configured, prepare } from './mastodon-instance.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, type Received, scriptedServer } from './scripted-server.ts'

const READY = { uploads: { med_1: { id: '110', isProcessed: true } } }
const picture = aPublishFile('med_1', 'image')
const video = aPublishFile('med_1', 'video')

function formOf({ body, headers }: Received): Promise<FormData> {
  return new Response(body, {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData()
}

function paths(received: Received[]): string[] {
  return received.map(({ method, path }) => `${method} ${path}`)
}

describe('a file for Mastodon', () => {
  test('is sent in a form with its type and alt text, under the token', async () => {
    const { outcome, kept, received } = await prepare(
      [{ ...picture, altText: 'Zwei\n„Boote“' }],
      {},
    )
    expect(outcome).toEqual({ outcome: 'ready', step: READY })
    expect(kept).toEqual([READY])
    expect(paths(received)).toEqual(['GET /api/v2/instance', 'POST /api/v2/media'])
    const upload = received[1]!
    expect(upload.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'content-length': String(Buffer.byteLength(upload.body)),
    })
    const form = await formOf(upload)
    expect(form.get('description')).toBe('Zwei\n„Boote“')
    const file = form.get('file') as File
    expect([file.name, file.type, await file.text()]).toEqual([
      'file.jpeg',
      'image/jpeg',
      'picture of med_1',
    ])
  })

  test('is sent as it is when it is a video, and without an alt text when it has none', async () => {
    const { received } = await prepare([video], {})
    const form = await formOf(received[1]!)
    expect([...form.keys()]).toEqual(['file'])
    expect(await (form.get('file') as File).text()).toBe('bytes of med_1')
  })

  test('is not sent again once it is kept, and the instance is not even asked', async () => {
    const { outcome, received } = await prepare([picture], {}, READY)
    expect(outcome).toEqual({ outcome: 'ready', step: READY })
    expect(received).toEqual([])
  })

  test('is sent when what was kept is not readable', async () => {
    const { outcome } = await prepare([picture], {}, { uploads: 'nonsense' })
    expect(outcome).toEqual({ outcome: 'ready', step: READY })
  })

  test('that the caller cannot keep ends the preparing', async () => {
    await using server = await anInstance({})
    const input = aPublishInput({ baseUrl: server.url, media: [picture] })
    const onStep = () => Promise.reject(new Error('no database'))
    await expect(mastodon.prepare({ ...input, onStep })).rejects.toThrow('no database')
  })
})

describe('a picture for Mastodon is made to fit', () => {
  test.each<[string, Answer, Partial<ImageLimits>]>([
    [
      'what the instance says',
      configured({
        supported_mime_types: ['image/jpeg', 'image/png', 'video/mp4'],
        image_size_limit: 5_000_000,
        image_matrix_limit: 1_000_000,
      }),
      { mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 4_999_999, maxPixels: 1_000_000 },
    ],
    ['the usual where it says nothing', { status: 404, body: '' }, {}],
    ['the usual where it is broken', { status: 500, body: '<html>' }, {}],
    ['the usual where it says nonsense', configured({ image_size_limit: -1 }), {}],
    [
      'JPEG where it names no picture',
      configured({ supported_mime_types: [] }),
      { mimeTypes: ['image/jpeg'] },
    ],
  ])('%s', async (_, instance, limits) => {
    const asked: ImageLimits[] = []
    const image: PublishFile['image'] = (within) => {
      asked.push(within)
      return picture.image(within)
    }
    await prepare([{ ...picture, image }], { instance })
    expect(asked).toEqual([
      {
        mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
        maxBytes: 16_777_215,
        maxPixels: 33_177_600,
        ...limits,
      },
    ])
  })
})

describe('a video that the instance would not take is refused before it is sent', () => {
  test.each<[string, Partial<PublishFile>, Record<string, unknown>]>([
    ['for its type', {}, { supported_mime_types: ['image/jpeg'] }],
    ['for its size', { sizeBytes: 1000 }, { video_size_limit: 1000 }],
    ['for its pixels', { width: 101, height: 100 }, { video_matrix_limit: 10_000 }],
    [
      'for the size of an animated picture',
      { type: 'gif', sizeBytes: 1000 },
      { image_size_limit: 1000 },
    ],
  ])('%s', async (_, facts, limits) => {
    const instance = configured(limits)
    const { outcome, received } = await prepare([{ ...video, ...facts }], { instance })
    expect(outcome).toMatchObject({ outcome: 'permanent', errorCode: 'media_unfit' })
    expect(paths(received)).toEqual(['GET /api/v2/instance'])
  })
})

describe('a video that Mastodon processes', () => {
  const upload = { status: 202, body: { id: '110', url: null } }
  const processing = { status: 206, body: { id: '110', url: null } }

  test('is asked for until it is ready', async () => {
    const states = [processing, processing, { body: { id: '110' } }]
    const { outcome, kept, received } = await prepare([video], { upload, states })
    expect(outcome).toEqual({ outcome: 'ready', step: READY })
    expect(kept).toEqual([{ uploads: { med_1: { id: '110', isProcessed: false } } }, READY])
    expect(paths(received).slice(2)).toEqual(Array(3).fill('GET /api/v1/media/110'))
  })

  test('is asked for by the next call, which does not send it again', async () => {
    const step = { uploads: { med_1: { id: '110', isProcessed: false } } }
    const { outcome, received } = await prepare(
      [video],
      { states: [{ body: { id: '110' } }] },
      step,
    )
    expect(outcome).toEqual({ outcome: 'ready', step: READY })
    expect(paths(received)).toEqual(['GET /api/v1/media/110'])
  })

  test('is sent again by the next call when the instance has lost it', async () => {
    const states = [{ status: 404, body: { error: 'Record not found' } }]
    const { outcome, kept } = await prepare([video], { upload, states })
    expect(outcome).toMatchObject({ outcome: 'transient' })
    expect(kept.at(-1)).toEqual({ uploads: {} })
  })

  test.each<[Answer, object]>([
    [
      { status: 422, body: { error: 'Error processing thumbnail for uploaded media' } },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [{ status: 401, body: { error: 'The access token is invalid' } }, { outcome: 'reauth' }],
    [{ status: 429, body: '' }, { outcome: 'rate_limited' }],
    [{ status: 503, body: '' }, { outcome: 'transient' }],
  ])('has failed when it is answered with %j', async (state, expected) => {
    expect((await prepare([video], { upload, states: [state] })).outcome).toMatchObject(expected)
  })
})

describe('an upload to Mastodon', () => {
  test.each<[Answer, object]>([
    [{ status: 401, body: { error: 'The access token is invalid' } }, { outcome: 'reauth' }],
    [
      { status: 403, body: { error: 'This action is outside the authorized scopes' } },
      {
        outcome: 'permanent',
        errorCode: 'missing_permission',
        message: expect.stringContaining('write:media'),
      },
    ],
    [
      { status: 413, body: '<html>' },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      { status: 422, body: { error: 'Validation failed: File content type is invalid' } },
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      { status: 422, body: { error: 'Validation failed: Description is too long' } },
      { outcome: 'permanent', errorCode: 'alt_text_too_long' },
    ],
    [
      { status: 429, body: '' },
      { outcome: 'rate_limited', retryAt: null },
    ],
    [{ status: 500, body: '' }, { outcome: 'transient' }],
    [{ status: 302, body: '' }, { outcome: 'transient' }],
    [{ status: 200, body: '<html>' }, { outcome: 'transient' }],
    [{ status: 200, body: {} }, { outcome: 'transient' }],
  ])('answered with %j', async (upload, expected) => {
    const { outcome, kept } = await prepare([picture], { upload })
    expect(outcome).toMatchObject(expected)
    expect(kept).toEqual([])
  })

  test('can be made later when nobody listens', async () => {
    const input = aPublishInput({ baseUrl: await closedPort(), media: [picture] })
    expect(await mastodon.prepare(input)).toMatchObject({ outcome: 'transient' })
  })
})

test('a status has the files in the order of the post, whatever the order they were kept in', async () => {
  await using server = await scriptedServer(() => ({ status: 500, body: '' }))
  const media = [aPublishFile('med_2', 'image'), aPublishFile('med_1', 'image')]
  const upload = (id: string) => ({ id, isProcessed: true })
  const step = { uploads: { med_1: upload('11'), med_2: upload('12') } }
  await mastodon.commit(aPublishInput({ baseUrl: server.url, media, step }))
  expect(JSON.parse(server.received[0]!.body)).toEqual({ status: 'Hello', media_ids: ['12', '11'] })
})

test('a status is not made without one of its files', async () => {
  await using server = await scriptedServer(() => ({ body: {} }))
  const media = [picture, aPublishFile('med_2', 'image')]
  const outcome = await mastodon.commit(aPublishInput({ baseUrl: server.url, media, step: READY }))
  expect(outcome).toMatchObject({ outcome: 'permanent', errorCode: 'media_missing' })
  expect(server.received).toEqual([])
})
