import { AppError } from '@herald/contracts/errors'
import type { Media } from '@herald/contracts/media'
import type { Post } from '@herald/contracts/posts'
import { etagOf } from '@herald/service/etag'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectRefusal, testGateway, type TestGateway, testMedia, testPost } from './harness.ts'

const ID = '01kb5x4a7ne8btgq1vq4p0d2c9'
const STRONG = /^"[A-Za-z0-9_-]{27}"$/

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
beforeEach(() => vi.clearAllMocks())
afterAll(() => gateway.close())

const RESOURCES = {
  post: { path: `/v1/posts/post_${ID}`, make: testPost, get: () => gateway.posts.get },
  media: { path: `/v1/media/med_${ID}`, make: testMedia, get: () => gateway.media.get },
}
const KINDS = Object.keys(RESOURCES) as (keyof typeof RESOURCES)[]

describe.each(KINDS)('GET of a single %s', (kind) => {
  const { path, make } = RESOURCES[kind]
  const answerWith = (resource: Post | Media) =>
    vi
      .mocked<(input: never) => Promise<Post | Media>>(RESOURCES[kind].get())
      .mockResolvedValueOnce(resource)
  const ask = (resource: Post | Media, ifNoneMatch?: string) => {
    answerWith(resource)
    return gateway.request('GET', path, {
      ...(ifNoneMatch !== undefined && { headers: { 'If-None-Match': ifNoneMatch } }),
    })
  }

  test('200 carries a strong tag, the same for the same and another for anything else', async () => {
    const resource = make()
    const first = await ask(resource)
    expect(first.status).toBe(200)
    expect(first.headers.get('etag')).toMatch(STRONG)
    expect(first.headers.get('etag')).toBe(etagOf(resource))
    expect((await ask({ ...resource })).headers.get('etag')).toBe(etagOf(resource))
    const changed = await ask({ ...resource, status: 'failed' })
    expect(changed.headers.get('etag')).not.toBe(etagOf(resource))
  })

  test.each([
    ['the tag', (tag: string) => tag],
    ['a list with the tag', (tag: string) => `"older", ${tag}`],
    ['the weak form of the tag', (tag: string) => `W/${tag}`],
    ['*', () => '*'],
  ])('304 for %s, without a body and with the tag', async (_name, headerOf) => {
    const resource = make()
    const response = await ask(resource, headerOf(etagOf(resource)))
    expect(response.status).toBe(304)
    expect(await response.text()).toBe('')
    expect(response.headers.get('etag')).toBe(etagOf(resource))
    expect(response.headers.has('content-type')).toBe(false)
    expect(response.headers.get('x-request-id')).toMatch(/./)
  })

  test.each(['"older"', 'W/"older"', 'unquoted', '"', ''])(
    '200 for %j, which is not the tag',
    async (header) => {
      const resource = make()
      const response = await ask(resource, header)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual(resource)
    },
  )

  test('a refusal is none the less a refusal, and has no tag', async () => {
    vi.mocked<(input: never) => Promise<unknown>>(RESOURCES[kind].get()).mockRejectedValueOnce(
      new AppError('not_found', 'There is none.'),
    )
    const headers = { 'If-None-Match': '*' }
    await expectRefusal(await gateway.request('GET', path, { headers }), 404, 'not_found')
  })
})

describe('the tag of what was made or changed is in the answer', () => {
  test.each([
    ['POST', '/v1/posts', { content: 'a', channelIds: ['c'] }, () => gateway.posts.create],
    ['PATCH', RESOURCES.post.path, { content: 'a' }, () => gateway.posts.edit],
    ['POST', '/v1/media/import', { url: 'https://a.example/b.png' }, () => gateway.media.import],
    ['POST', `${RESOURCES.media.path}/complete`, undefined, () => gateway.media.complete],
  ] as const)('%s %s', async (method, path, body, asked) => {
    const response = await gateway.request(method, path, body && { body })
    const [outcome] = vi.mocked<(input: never) => Promise<object>>(asked()).mock.settledResults
    expect(response.headers.get('etag')).toBe(etagOf(outcome?.value as object))
  })

  test.each([
    ['GET', '/v1/posts'],
    ['GET', '/v1/media'],
    ['GET', '/v1/me'],
    ['GET', '/v1/channels'],
    ['DELETE', RESOURCES.post.path],
    ['DELETE', RESOURCES.media.path],
  ])('%s %s is no single post or file, and has none', async (method, path) => {
    expect((await gateway.request(method, path)).headers.has('etag')).toBe(false)
  })

  test('POST /v1/media/uploads answers more than a file, and has none', async () => {
    const body = { fileName: 'a.png', mimeType: 'image/png', fileSize: 1 }
    const response = await gateway.request('POST', '/v1/media/uploads', { body })
    expect(response.status).toBe(201)
    expect(response.headers.has('etag')).toBe(false)
  })
})

describe.each([
  ['PATCH', RESOURCES.post.path, () => gateway.posts.edit],
  ['DELETE', RESOURCES.post.path, () => gateway.posts.remove],
  ['DELETE', RESOURCES.media.path, () => gateway.media.remove],
] as const)('%s %s with If-Match', (method, path, asked) => {
  const change = (ifMatch?: string) =>
    gateway.request(method, path, {
      ...(ifMatch !== undefined && { headers: { 'If-Match': ifMatch } }),
      ...(method === 'PATCH' && { body: { content: 'b' } }),
    })

  test.each([
    ['"a"', ['"a"']],
    ['"a", W/"b", "c"', ['"a"', '"c"']],
    ['W/"a"', []],
    ['*', '*'],
  ])('passes %s on to where the change is decided', async (header, ifMatch) => {
    expect((await change(header)).status).toBe(200)
    expect(asked()).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ ifMatch }))
  })

  test('says nothing of it when there is none', async () => {
    await change()
    expect(asked()).toHaveBeenCalledExactlyOnceWith(
      expect.not.objectContaining({ ifMatch: expect.anything() }),
    )
  })

  test('412 when it has changed', async () => {
    const details = { reason: 'etag_mismatch' }
    vi.mocked<(input: never) => Promise<unknown>>(asked()).mockRejectedValueOnce(
      new AppError('conflict', 'It has changed.', { status: 412, details }),
    )
    expect((await expectRefusal(await change('"a"'), 412, 'conflict')).details).toEqual(details)
  })

  test.each(['a', '"a', '*, "a"'])('422 for %s, and nothing is asked', async (header) => {
    await expectRefusal(await change(header), 422, 'validation_failed')
    expect(asked()).not.toHaveBeenCalled()
  })
})
