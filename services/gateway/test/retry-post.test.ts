import { AppError } from '@herald/contracts/errors'
import { Post } from '@herald/contracts/posts'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'
import { exchange } from './raw-socket.ts'

const postId = 'post_01kb5x4a7ne8btgq1vq4p0d2c9'
const path = `/v1/posts/${postId}/retry`

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
beforeEach(() => vi.clearAllMocks())
afterAll(() => gateway.close())

const retry = (body?: unknown, headers?: Record<string, string>) =>
  gateway.request('POST', path, {
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  })

describe('POST /v1/posts/{id}/retry 200', () => {
  test.each([
    ['no body', undefined, false],
    ['an empty body', '', false],
    ['an empty object', {}, false],
    ['false', { includeUnconfirmed: false }, false],
    ['true', { includeUnconfirmed: true }, true],
  ])('%s asks for what it says, and gives the post', async (_what, body, includeUnconfirmed) => {
    const response = await retry(body)
    expect(response.status).toBe(200)
    expect(Post.safeParse(await response.json()).success).toBe(true)
    expectFixedHeaders(response.headers)
    expect(gateway.posts.retry).toHaveBeenCalledExactlyOnceWith({
      caller: {
        organizationId: gateway.verified.organization.id,
        channels: 'all',
        actor: `key:${gateway.verified.keyId}`,
      },
      postId,
      body: { includeUnconfirmed },
    })
  })

  test.each([
    ['neither a length nor a body', []],
    ['a length of zero and another type', ['Content-Length: 0', 'Content-Type: text/plain']],
  ])('a request with %s has no body', async (_what, lines) => {
    const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${gateway.key}`]
    const [answer] = await exchange(gateway.url, [...head, ...lines, 'Connection: close', '', ''])
    expect(answer?.status).toBe(200)
  })
})

describe('POST /v1/posts/{id}/retry 403', () => {
  test('it takes all channels of the post, as the posts service says', async () => {
    gateway.posts.retry.mockRejectedValueOnce(new AppError('forbidden_scope', 'Not all channels.'))
    await expectRefusal(await retry(), 403, 'forbidden_scope')
  })
})

describe('POST /v1/posts/{id}/retry 404', () => {
  test('of a post that the posts service does not show', async () => {
    gateway.posts.retry.mockRejectedValueOnce(new AppError('not_found', 'There is no such post.'))
    await expectRefusal(await retry(), 404, 'not_found')
  })

  test('what is no id names no post and asks nobody', async () => {
    await expectRefusal(await gateway.request('POST', '/v1/posts/validate/retry'), 404, 'not_found')
    expect(gateway.posts.retry).not.toHaveBeenCalled()
  })
})

describe('POST /v1/posts/{id}/retry 409', () => {
  test.each([
    ['conflict', undefined],
    ['conflict', { channelIds: ['chan_01kb5x4a7ne8btgq1vq4p0d2c9'] }],
    ['reauth_required', { channelIds: ['chan_01kb5x4a7ne8btgq1vq4p0d2c9'] }],
  ] as const)('%s is passed on with its details %o', async (code, details) => {
    gateway.posts.retry.mockRejectedValueOnce(new AppError(code, 'No.', { details }))
    const error = await expectRefusal(await retry(), 409, code)
    expect(error.details).toEqual(details)
  })
})

describe('POST /v1/posts/{id}/retry 415', () => {
  test('a body that is there must be JSON', async () => {
    const text = { 'Content-Type': 'text/plain' }
    await expectRefusal(await retry('{}', text), 415, 'validation_failed')
    expect(gateway.posts.retry).not.toHaveBeenCalled()
  })
})

describe('POST /v1/posts/{id}/retry 422', () => {
  test.each([
    ['an unknown field', { channelIds: [] }],
    ['a text', { includeUnconfirmed: 'true' }],
    ['null', { includeUnconfirmed: null }],
    ['a list', []],
    ['broken JSON', '{'],
    ['white space', ' '],
  ])('%s is refused', async (_what, body) => {
    await expectRefusal(await retry(body), 422, 'validation_failed')
    expect(gateway.posts.retry).not.toHaveBeenCalled()
  })

  test('a file of the post that is gone, as the posts service says', async () => {
    gateway.posts.retry.mockRejectedValueOnce(new AppError('validation_failed', 'Gone.'))
    await expectRefusal(await retry(), 422, 'validation_failed')
  })
})

describe('POST /v1/posts/{id}/retry 405', () => {
  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])('%s is refused', async (method) => {
    const response = await gateway.request(method, path)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })
})
