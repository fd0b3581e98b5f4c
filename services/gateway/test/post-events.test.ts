import { AppError } from '@herald/contracts/errors'
import { PostHistoryPage } from '@herald/contracts/post-history'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { HISTORY } from '../src/openapi/examples.ts'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'

const postId = 'post_01kb5x4a7ne8btgq1vq4p0d2c9'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
beforeEach(() => vi.clearAllMocks())
afterAll(() => gateway.close())

const ask = (query = '', id = postId) => gateway.request('GET', `/v1/posts/${id}/events${query}`)

describe('GET /v1/posts/{id}/events 200', () => {
  test('gives the events, and passes on who asks and which page', async () => {
    gateway.posts.events.mockResolvedValueOnce({ data: HISTORY, nextCursor: 'abc' })
    const response = await ask('?limit=100&cursor=xyz')
    expect(response.status).toBe(200)
    expectFixedHeaders(response.headers)
    const page = PostHistoryPage.parse(await response.json())
    expect(page).toEqual({ data: HISTORY, nextCursor: 'abc' })
    expect(gateway.posts.events).toHaveBeenCalledExactlyOnceWith({
      caller: {
        organizationId: gateway.verified.organization.id,
        channels: 'all',
        actor: `key:${gateway.verified.keyId}`,
      },
      postId,
      limit: 100,
      cursor: 'xyz',
    })
  })

  test('without a query the posts service decides the size of the page', async () => {
    expect((await ask()).status).toBe(200)
    expect(gateway.posts.events.mock.calls[0]?.[0]).not.toHaveProperty('limit')
  })
})

describe('GET /v1/posts/{id}/events 404', () => {
  test('of a post that the posts service does not show', async () => {
    gateway.posts.events.mockRejectedValueOnce(new AppError('not_found', 'There is no such post.'))
    await expectRefusal(await ask(), 404, 'not_found')
  })

  test.each(['validate', 'null', 'med_01kb5x4a7ne8btgq1vq4p0d2c9', `${postId}x`])(
    'an id such as %s names no post and asks nobody',
    async (id) => {
      await expectRefusal(await ask('', id), 404, 'not_found')
      expect(gateway.posts.events).not.toHaveBeenCalled()
    },
  )
})

describe('GET /v1/posts/{id}/events 422', () => {
  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=5abc', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=%20', 'cursor'],
    ['unknown=1', ''],
  ])('%s is refused and the place named', async (query, path) => {
    const error = await expectRefusal(await ask(`?${query}`), 422, 'validation_failed')
    expect(error.details).toEqual({
      issues: expect.arrayContaining([{ path, message: expect.any(String) }]),
    })
    expect(gateway.posts.events).not.toHaveBeenCalled()
  })
})

describe('GET /v1/posts/{id}/events 405', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])('%s is refused', async (method) => {
    const response = await gateway.request(method, `/v1/posts/${postId}/events`)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
  })
})
