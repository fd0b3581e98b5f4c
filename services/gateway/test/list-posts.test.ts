import { PostPage } from '@herald/contracts/posts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
beforeEach(() => void gateway.posts.list.mockClear())
afterAll(() => gateway.close())

const ask = (query: string) => gateway.request('GET', `/v1/posts${query}`)

describe('GET /v1/posts 200', () => {
  test('passes who asks and every filter, instants in UTC', async () => {
    const query =
      '?status=scheduled&channelId=chan_x&from=2026-11-21T10:00:00%2B02:00' +
      '&to=2026-11-22T00:00:00Z&limit=100&cursor=abc'
    const response = await ask(query)
    expect(response.status).toBe(200)
    expect(PostPage.parse(await response.json())).toEqual({ data: [], nextCursor: null })
    expectFixedHeaders(response.headers)
    expect(gateway.posts.list).toHaveBeenCalledExactlyOnceWith({
      caller: {
        organizationId: gateway.verified.organization.id,
        channels: 'all',
        actor: `key:${gateway.verified.keyId}`,
      },
      status: 'scheduled',
      channelId: 'chan_x',
      limit: 100,
      cursor: 'abc',
      from: '2026-11-21T08:00:00.000Z',
      to: '2026-11-22T00:00:00.000Z',
    })
  })

  test('without a query the posts service decides the size of the page', async () => {
    expect((await ask('')).status).toBe(200)
    expect(gateway.posts.list.mock.calls[0]?.[0]).not.toHaveProperty('limit')
  })
})

describe('GET /v1/posts 422', () => {
  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=%205', 'limit'],
    ['limit=5abc', 'limit'],
    ['limit=%D9%A5', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['status[a]=1', ''],
    ['status=PUBLISHED', 'status'],
    ['status=draft', 'status'],
    ['from=now', 'from'],
    ['from=2026-02-30T00:00:00Z', 'from'],
    ['from=2026-11-21T10:00:00', 'from'],
    ['to=1764000000', 'to'],
    ['unknown=1', ''],
    ['__proto__[x]=1', ''],
    ['__proto__=1', ''],
    ['toString=1&toString=2', 'toString'],
    ['status=%E0%A4%A', 'status'],
  ])(
    '121, 122, 123, 124, 129, 130, 131: %s is refused and the place named',
    async (query, path) => {
      const error = await expectRefusal(await ask(`?${query}`), 422, 'validation_failed')
      expect(error.details).toEqual({
        issues: expect.arrayContaining([{ path, message: expect.any(String) }]),
      })
      expect(gateway.posts.list).not.toHaveBeenCalled()
    },
  )

  test('a cursor and a channel id have a greatest length', async () => {
    await expectRefusal(await ask(`?cursor=${'a'.repeat(1001)}`), 422, 'validation_failed')
    await expectRefusal(await ask(`?channelId=${'a'.repeat(101)}`), 422, 'validation_failed')
  })

  test('125: a + of an offset that is not percent-encoded is explained', async () => {
    const error = await expectRefusal(
      await ask('?from=2026-11-21T10:00:00+02:00'),
      422,
      'validation_failed',
    )
    expect(JSON.stringify(error.details)).toContain('%2B')
  })
})
