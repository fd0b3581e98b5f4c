import { AppError } from '@herald/contracts/errors'
import { MAX_FILE_BYTES, Media, MediaUpload } from '@herald/contracts/media'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'

const mediaId = 'med_01kb5x4a7ne8btgq1vq4p0d2c9'
const postId = 'post_01kb5x4a7ne8btgq1vq4p0d2c9'
const MEGABYTE = 1024 * 1024

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
beforeEach(() => vi.clearAllMocks())
afterAll(() => gateway.close())

const upload = { fileName: 'bread.png', mimeType: 'image/png', fileSize: 1234 }
const create = (body: unknown) => gateway.request('POST', '/v1/media/uploads', { body })
const fetchIn = (body: unknown) => gateway.request('POST', '/v1/media/import', { body })

describe('POST /media/uploads', () => {
  test('201: the announcement goes to the media service as it is', async () => {
    const response = await create({ ...upload, altText: 'Bread' })
    expect(response.status).toBe(201)
    expectFixedHeaders(response.headers)
    expect(MediaUpload.parse(await response.json()).upload.method).toBe('PUT')
    expect(gateway.media.createUpload).toHaveBeenCalledExactlyOnceWith({
      caller: {
        organizationId: gateway.verified.organization.id,
        channels: 'all',
        actor: expect.any(String),
      },
      body: { ...upload, altText: 'Bread' },
    })
  })

  test.each(['fileName', 'mimeType', 'fileSize'])('422: %s is needed', async (name) => {
    const { [name as keyof typeof upload]: _left, ...rest } = upload
    const error = await expectRefusal(await create(rest), 422, 'validation_failed')
    expect(error.details?.issues).toMatchObject([{ path: name }])
  })

  test.each([
    ['190', 'zero', 0],
    ['190', 'negative', -1],
    ['190', 'a fraction', 1.5],
    ['190', 'text', '10'],
    ['190', 'beyond what numbers can count', 2 ** 53],
    ['190', 'null', null],
  ])('422: %s, the size is %s', async (_input, _name, fileSize) => {
    await expectRefusal(await create({ ...upload, fileSize }), 422, 'validation_failed')
    expect(gateway.media.createUpload).not.toHaveBeenCalled()
  })

  test.each([
    ['image/jpeg', 50 * MEGABYTE],
    ['image/png', 50 * MEGABYTE],
    ['image/webp', 50 * MEGABYTE],
    ['image/gif', 50 * MEGABYTE],
    ['video/mp4', 200 * MEGABYTE],
    ['video/quicktime', 200 * MEGABYTE],
    ['video/webm', 200 * MEGABYTE],
    ['application/pdf', 100 * MEGABYTE],
    ['application/msword', 100 * MEGABYTE],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 100 * MEGABYTE],
    ['application/vnd.ms-powerpoint', 100 * MEGABYTE],
    ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 100 * MEGABYTE],
  ])('a file of type %s may have %i bytes and not one more', async (mimeType, limit) => {
    const body = { fileName: 'file', mimeType, fileSize: limit }
    expect((await create(body)).status).toBe(201)
    const error = await expectRefusal(
      await create({ ...body, fileSize: limit + 1 }),
      422,
      'validation_failed',
    )
    expect(error.details?.issues).toMatchObject([{ path: 'fileSize' }])
  })

  test.each([
    'image/svg+xml',
    'text/html',
    'image/jpg',
    'IMAGE/PNG',
    'image/png; x=y',
    'image/png\r\nX-Evil: 1',
    'application/x-msdownload',
    '',
    '*/*',
    'audio/mpeg',
    'image/avif',
    'constructor',
    '__proto__',
  ])('422: 191, the type %j is not accepted', async (mimeType) => {
    await expectRefusal(await create({ ...upload, mimeType }), 422, 'validation_failed')
    expect(gateway.media.createUpload).not.toHaveBeenCalled()
  })

  test('422: unknown fields are refused', async () => {
    await expectRefusal(await create({ ...upload, status: 'ready' }), 422, 'validation_failed')
  })

  test('409 limit_reached: what the media service refuses goes on to the caller', async () => {
    gateway.media.createUpload.mockRejectedValueOnce(
      new AppError('limit_reached', "The organization's storage is full.", {
        details: { limitBytes: MAX_FILE_BYTES.video, usedBytes: 1 },
      }),
    )
    const error = await expectRefusal(await create(upload), 409, 'limit_reached')
    expect(error.details).toEqual({ limitBytes: MAX_FILE_BYTES.video, usedBytes: 1 })
  })
})

describe('a file name', () => {
  test.each([
    '../../x.png',
    'a/b.png',
    'a\\b.png',
    'a\u0000.png',
    'a\r\nb.png',
    `${'a'.repeat(252)}.png`,
    '\u202egpj.exe',
    'a\u200f.png',
    '',
    '   ',
    '.',
    '..',
    '\ud800.png',
  ])('422: 184, %j is refused', async (fileName) => {
    await expectRefusal(await create({ ...upload, fileName }), 422, 'validation_failed')
    await expectRefusal(
      await fetchIn({ url: 'https://example.com/a.png', fileName }),
      422,
      'validation_failed',
    )
  })

  test.each([
    'CON',
    '.htaccess',
    'Brot & Käse.png',
    '写真.png',
    '🍞.png',
    `${'a'.repeat(251)}.png`,
  ])('may be %j, because it is never a path', async (fileName) => {
    expect((await create({ ...upload, fileName })).status).toBe(201)
  })
})

describe('POST /media/import', () => {
  test('201: a ready file', async () => {
    const body = { url: 'https://example.com/bread.png', fileName: 'b.png', altText: 'Bread' }
    const response = await fetchIn(body)
    expect(response.status).toBe(201)
    expect(Media.parse(await response.json()).status).toBe('ready')
    expect(gateway.media.import).toHaveBeenCalledExactlyOnceWith({
      caller: expect.objectContaining({ organizationId: gateway.verified.organization.id }),
      body,
    })
  })

  test.each([
    ['without a url', {}],
    ['with an empty url', { url: '' }],
    ['171: with a url of 2,001 characters', { url: `https://a.example/${'a'.repeat(1983)}` }],
    ['with a number for a url', { url: 1 }],
    [
      '185: with an alt text of 100 KB',
      { url: 'https://a.example/', altText: 'a'.repeat(100_000) },
    ],
    ['with an unknown field', { url: 'https://a.example/', mimeType: 'image/png' }],
  ])('422: %s', async (_name, body) => {
    await expectRefusal(await fetchIn(body), 422, 'validation_failed')
    expect(gateway.media.import).not.toHaveBeenCalled()
  })
})

describe('GET /media', () => {
  const list = (query: string) => gateway.request('GET', `/v1/media${query}`)

  test.each(['image', 'video', 'document', 'media'])('200: type=%s', async (type) => {
    expect((await list(`?type=${type}`)).status).toBe(200)
    expect(gateway.media.list).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type }))
  })

  test.each(['audio', 'gif', 'MEDIA', '', 'image&type=video'])(
    '240: 422, type=%s is not a filter',
    async (type) => {
      await expectRefusal(await list(`?type=${type}`), 422, 'validation_failed')
    },
  )

  test('238: q may have 200 characters and not one more, counted as people count code points', async () => {
    expect((await list(`?q=${'a'.repeat(200)}`)).status).toBe(200)
    expect((await list(`?q=${encodeURIComponent('🍞'.repeat(200))}`)).status).toBe(200)
    await expectRefusal(await list(`?q=${'a'.repeat(201)}`), 422, 'validation_failed')
  })

  test('238: 422 for q with a NUL', async () => {
    await expectRefusal(await list('?q=%00'), 422, 'validation_failed')
  })

  test.each(['0', '101', '-1', '1.5', '1e2', '%205', '5abc', '', '1&limit=2'])(
    '422: limit=%s',
    async (limit) => {
      await expectRefusal(await list(`?limit=${limit}`), 422, 'validation_failed')
    },
  )

  test.each(['', 'a b', '{}', 'a'.repeat(1001)])('422: cursor=%.10s', async (cursor) => {
    await expectRefusal(
      await list(`?cursor=${encodeURIComponent(cursor)}`),
      422,
      'validation_failed',
    )
  })

  test('422: an unknown parameter', async () => {
    await expectRefusal(await list('?status=pending'), 422, 'validation_failed')
  })
})

describe.each([
  ['GET', '', 'get'],
  ['DELETE', '', 'remove'],
  ['POST', '/complete', 'complete'],
] as const)('%s /media/{id}%s', (method, rest, operation) => {
  const ask = (id: string) => gateway.request(method, `/v1/media/${id}${rest}`)

  test('200 with what the media service answers', async () => {
    const response = await ask(mediaId)
    expect(response.status).toBe(200)
    expectFixedHeaders(response.headers)
    expect(gateway.media[operation]).toHaveBeenCalledExactlyOnceWith({
      caller: expect.objectContaining({ organizationId: gateway.verified.organization.id }),
      mediaId,
    })
  })

  test.each([
    'me',
    'null',
    '%00',
    '[object%20Object]',
    '1%20OR%201=1',
    'post_01kb5x4a7ne8btgq1vq4p0d2c9',
    mediaId.toUpperCase(),
    'a'.repeat(10_000),
  ])('404: 132, %.40s is no file, and nobody is asked', async (id) => {
    const error = await expectRefusal(await ask(id), 404, 'not_found')
    expect(error).toEqual({ code: 'not_found', message: 'There is no such file.' })
    expect(gateway.media[operation]).not.toHaveBeenCalled()
  })
})

describe.each([
  ['GET', '', 'get', 'not_found', 404],
  ['DELETE', '', 'remove', 'not_found', 404],
  ['DELETE', '', 'remove', 'conflict', 409],
  ['POST', '/complete', 'complete', 'not_found', 404],
  ['POST', '/complete', 'complete', 'conflict', 409],
  ['POST', '/complete', 'complete', 'validation_failed', 422],
] as const)('%s /media/{id}%s', (method, rest, operation, code, status) => {
  test(`the refusal ${code} is ${status}`, async () => {
    gateway.media[operation].mockRejectedValueOnce(
      new AppError(code, 'No.', { details: { postId } }),
    )
    const response = await gateway.request(method, `/v1/media/${mediaId}${rest}`)
    const error = await expectRefusal(response, status, code)
    expect(error.details).toEqual({ postId })
  })
})

test('212: a body of complete is not looked at', async () => {
  const response = await gateway.request('POST', `/v1/media/${mediaId}/complete`, { body: '{"a":' })
  expect(response.status).toBe(200)
})

test.each([
  ['PUT', '/v1/media', 'GET'],
  ['GET', '/v1/media/uploads', 'POST'],
  ['GET', '/v1/media/import', 'POST'],
  ['PATCH', `/v1/media/${mediaId}`, 'GET, DELETE'],
  ['GET', `/v1/media/${mediaId}/complete`, 'POST'],
])('405: %s %s', async (method, path, allow) => {
  const response = await gateway.request(method, path)
  expect(response.headers.get('allow')).toBe(allow)
  await expectRefusal(response, 405, 'validation_failed')
})
