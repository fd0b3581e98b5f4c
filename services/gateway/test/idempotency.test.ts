import { AppError } from '@herald/contracts/errors'
import { type Route, type RouteName, ROUTES } from '@herald/contracts/http'
import { etagOf } from '@herald/service/etag'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FEATURES } from '../src/openapi/features.ts'
import { openapiDocument } from '../src/openapi/document.ts'
import { expectRefusal, testGateway, type TestGateway, testMedia, testPost } from './harness.ts'
import { exchange } from './raw-socket.ts'

const postId = 'post_01kb5x4a7ne8btgq1vq4p0d2c9'
const mediaId = 'med_01kb5x4a7ne8btgq1vq4p0d2c9'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
beforeEach(() => vi.clearAllMocks())
afterAll(() => gateway.close())

/** Every endpoint that takes a key: what is sent there, and whom it reaches. */
const REPEATABLE = {
  createPost: {
    path: '/posts',
    body: { content: 'Bread', channelIds: ['chan_1'] },
    asked: () => gateway.posts.create,
  },
  retryPost: {
    path: `/posts/${postId}/retry`,
    body: { includeUnconfirmed: true },
    asked: () => gateway.posts.retry,
  },
  importMedia: {
    path: '/media/import',
    body: { url: 'https://example.com/a.png' },
    asked: () => gateway.media.import,
  },
  createUpload: {
    path: '/media/uploads',
    body: { fileName: 'a.png', mimeType: 'image/png', fileSize: 1 },
    asked: () => gateway.media.createUpload,
  },
  completeUpload: {
    path: `/media/${mediaId}/complete`,
    body: undefined,
    asked: () => gateway.media.complete,
  },
}
const NAMES = Object.keys(REPEATABLE) as (keyof typeof REPEATABLE)[]

const send = (name: keyof typeof REPEATABLE, headers: Record<string, string>) => {
  const { path, body } = REPEATABLE[name]
  return gateway.request('POST', `/v1${path}`, { headers, ...(body && { body }) })
}

test('every POST of the table that has an effect takes an Idempotency-Key and says so', () => {
  const posting = Object.entries<Route>(ROUTES).filter(
    ([name, { method }]) => method === 'POST' && name !== 'validatePost',
  )
  expect(posting.map(([name]) => name as RouteName).toSorted()).toEqual(NAMES.toSorted())
  expect(FEATURES.idempotencyKeys).toBe(true)
  for (const [, { path }] of posting)
    expect(
      JSON.stringify(openapiDocument().paths?.[path.replace(':id', '{id}')]?.post?.parameters),
    ).toContain('/Idempotency-Key"')
})

describe.each(NAMES)('%s with an Idempotency-Key', (name) => {
  const { status } = ROUTES[name]
  const asked = () => vi.mocked<(input: never) => Promise<unknown>>(REPEATABLE[name].asked())

  test('passes it on as it is', async () => {
    const response = await send(name, { 'Idempotency-Key': '"quoted" and, with a comma' })
    expect(response.status).toBe(status)
    expect(response.headers.has('idempotent-replayed')).toBe(false)
    expect(asked()).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ idempotencyKey: '"quoted" and, with a comma' }),
    )
  })

  test('answers a replay with its status, its body and a header that says so', async () => {
    const first = await send(name, { 'Idempotency-Key': 'a' })
    const body = await first.json()
    asked().mockResolvedValueOnce({ ...(body as object), isReplay: true })
    const again = await send(name, { 'Idempotency-Key': 'a' })
    expect(again.status).toBe(status)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(await again.text()).toBe(JSON.stringify(body))
  })

  test('409: under way, with the reason that clients wait for', async () => {
    const details = { reason: 'idempotency_in_progress' }
    asked().mockRejectedValueOnce(new AppError('conflict', 'Under way.', { details }))
    const error = await expectRefusal(await send(name, { 'Idempotency-Key': 'a' }), 409, 'conflict')
    expect(error.details).toEqual(details)
  })

  test('422: used for another request', async () => {
    const details = { reason: 'idempotency_key_reused' }
    asked().mockRejectedValueOnce(new AppError('validation_failed', 'Used.', { details }))
    const refused = await send(name, { 'Idempotency-Key': 'a' })
    expect((await expectRefusal(refused, 422, 'validation_failed')).details).toEqual(details)
  })

  test.each([
    ['empty', ''],
    ['256 characters long', 'k'.repeat(256)],
    ['not ASCII', 'clé'],
    ['with a tab inside', 'a\tb'],
  ])('422: one that is %s is refused, and nothing is asked', async (_name, key) => {
    const refused = await send(name, { 'Idempotency-Key': key })
    const error = await expectRefusal(refused, 422, 'validation_failed')
    expect(error.details?.issues).toEqual([
      { path: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' },
    ])
    expect(asked()).not.toHaveBeenCalled()
  })

  test('one of 255 characters is taken', async () => {
    expect((await send(name, { 'Idempotency-Key': '~'.repeat(255) })).status).toBe(status)
  })
})

test('422: two keys on one request are refused', async () => {
  const [answer] = await exchange(gateway.url, [
    `POST /v1/media/${mediaId}/complete HTTP/1.1`,
    'Host: herald',
    `Authorization: Bearer ${gateway.key}`,
    'Idempotency-Key: a',
    'Idempotency-Key: b',
    'Connection: close',
    '',
    '',
  ])
  const error = await expectRefusal(answer!, 422, 'validation_failed')
  expect(error.details?.issues).toEqual([{ path: 'Idempotency-Key', message: 'is given twice' }])
  expect(gateway.media.complete).not.toHaveBeenCalled()
})

test.each(['GET', 'PATCH', 'DELETE'])('%s does not look at an Idempotency-Key', async (method) => {
  const response = await gateway.request(method, '/v1/posts/post_01kb5x4a7ne8btgq1vq4p0d2c9', {
    headers: { 'Idempotency-Key': 'k'.repeat(300) },
    ...(method === 'PATCH' && { body: { content: 'b' } }),
  })
  expect(response.status).toBe(200)
})

test.each([
  ['a post', 'createPost', testPost],
  ['an imported file', 'importMedia', testMedia],
  ['a completed file', 'completeUpload', testMedia],
] as const)('the tag of a replay of %s is that of what is replayed', async (_name, route, make) => {
  const first = make()
  vi.mocked<(input: never) => Promise<unknown>>(REPEATABLE[route].asked()).mockResolvedValueOnce({
    ...first,
    isReplay: true,
  })
  const response = await send(route, { 'Idempotency-Key': 'a' })
  expect(response.headers.get('etag')).toBe(etagOf(first))
})
