import { AppError } from '@herald/contracts/errors'
import { DeletedPost, Post } from '@herald/contracts/posts'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'

const postId = 'post_01kb5x4a7ne8btgq1vq4p0d2c9'
const METHODS = ['GET', 'PATCH', 'DELETE'] as const

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
beforeEach(() => vi.clearAllMocks())
afterAll(() => gateway.close())

const ask = (method: string, id = postId, body: unknown = { content: 'Now from eight.' }) =>
  gateway.request(method, `/v1/posts/${id}`, method === 'PATCH' ? { body } : {})
const operation = (method: (typeof METHODS)[number]) =>
  ({ GET: gateway.posts.get, PATCH: gateway.posts.edit, DELETE: gateway.posts.remove })[method]
const caller = () => ({
  organizationId: gateway.verified.organization.id,
  channels: 'all',
  actor: `key:${gateway.verified.keyId}`,
})

describe('/v1/posts/{id} 200', () => {
  test('GET gives the post', async () => {
    const response = await ask('GET')
    expect(response.status).toBe(200)
    expect(Post.safeParse(await response.json()).success).toBe(true)
    expectFixedHeaders(response.headers)
    expect(gateway.posts.get).toHaveBeenCalledExactlyOnceWith({ caller: caller(), postId })
  })

  test('PATCH passes the change on, instants in UTC', async () => {
    const change = { content: 'b', platformContent: null, publishAt: '2026-12-01T08:00:00+01:00' }
    expect((await ask('PATCH', postId, change)).status).toBe(200)
    expect(gateway.posts.edit).toHaveBeenCalledExactlyOnceWith({
      caller: caller(),
      postId,
      body: { ...change, publishAt: '2026-12-01T07:00:00.000Z' },
    })
  })

  test('146: DELETE confirms, and a body with it is not read', async () => {
    const response = await gateway.request('DELETE', `/v1/posts/${postId}`, { body: '{' })
    expect(response.status).toBe(200)
    expect(DeletedPost.parse(await response.json())).toEqual({ id: postId, deleted: true })
    expect(gateway.posts.remove).toHaveBeenCalledExactlyOnceWith({ caller: caller(), postId })
  })
})

describe.each(METHODS)('/v1/posts/{id} 404 %s', (method) => {
  test('what the posts service does not show is not found', async () => {
    operation(method).mockRejectedValueOnce(new AppError('not_found', 'There is no such post.'))
    expect(await expectRefusal(await ask(method), 404, 'not_found')).toEqual({
      code: 'not_found',
      message: 'There is no such post.',
    })
  })

  test.each([
    '%00',
    'me',
    'null',
    '[object%20Object]',
    '1%20OR%201=1',
    "x'--",
    'med_01kb5x4a7ne8btgq1vq4p0d2c9',
    postId.toUpperCase(),
    `${postId}x`,
    'a'.repeat(10_000),
    '..%2fme',
    '%E2%80%AE',
  ])('132: an id such as %.20s names no post, in the same words, and asks nobody', async (id) => {
    expect(await expectRefusal(await ask(method, id), 404, 'not_found')).toEqual({
      code: 'not_found',
      message: 'There is no such post.',
    })
    expect(operation(method)).not.toHaveBeenCalled()
  })

  test('33: a path that is no percent-encoding is not found', async () => {
    await expectRefusal(await ask(method, '%E0%A4%A'), 404, 'not_found')
  })
})

describe('/v1/posts/{id} 409', () => {
  test.each(['PATCH', 'DELETE'] as const)('%s in a state that forbids it', async (method) => {
    operation(method).mockRejectedValueOnce(new AppError('conflict', 'It is publishing.'))
    await expectRefusal(await ask(method), 409, 'conflict')
  })
})

describe('/v1/posts/{id} 422', () => {
  test.each([
    ['133: nothing', {}],
    ['134: the status', { status: 'published' }],
    ['135: the channels', { channelIds: ['a'] }],
    ['135: the media', { mediaIds: [] }],
    ['136: publishAt to null', { publishAt: null }],
    ['content to a number', { content: 1 }],
  ])('PATCH that changes %s is refused', async (_what, change) => {
    await expectRefusal(await ask('PATCH', postId, change), 422, 'validation_failed')
    expect(gateway.posts.edit).not.toHaveBeenCalled()
  })
})

describe('/v1/posts/{id} 405', () => {
  test.each(['POST', 'PUT', 'HEAD', 'OPTIONS'])('%s is refused with Allow', async (method) => {
    const response = await ask(method)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, PATCH, DELETE')
  })
})
