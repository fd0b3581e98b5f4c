import type { Admission } from '@herald/contracts/quota'
import { describe, expect, test } from 'vitest'
import type { QuotaClient } from '../src/batched-admissions.ts'
import { ADMITTED, expectRefusal, testGateway } from './harness.ts'
import { makeKey } from './keys.ts'

const NAMES = ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining']
const POST = '/v1/posts/post_01kb5x4a7ne8btgq1vq4p0d2c9'

const limitHeaders = ({ headers }: Response) =>
  Object.fromEntries(
    [...NAMES, 'x-ratelimit-reset', 'retry-after'].map((name) => [name, headers.get(name)]),
  )

/** A quota service that answers this to everything. */
const answering =
  (admission: Partial<Admission>): QuotaClient['admit'] =>
  async ({ requests }) => ({
    admissions: requests.map(() => ({ ...ADMITTED, ...admission })),
  })

const RATE_LIMITED = answering({
  granted: 0,
  refusal: 'rate_limited',
  minute: { limit: 60, remaining: 0, resetsAt: '2026-11-21T07:00:01.001Z' },
})
const QUOTA_EXCEEDED = answering({
  granted: 0,
  refusal: 'quota_exceeded',
  month: { limit: 10_000, used: 10_000, resetsAt: '2026-12-01T00:00:00.000Z' },
})

describe('every authenticated answer', () => {
  const headers = {
    'ratelimit-policy': '"minute";q=60;w=60, "month";q=10000;w=2592000',
    ratelimit: '"minute";r=12;t=1, "month";r=8211;t=838800',
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '12',
    'x-ratelimit-reset': '1795244401',
    'retry-after': null,
  }
  test.each([
    ['a success', 'GET', '/v1/me', 200],
    ['a missing scope', 'POST', '/v1/posts', 403],
    ['an unknown path', 'GET', '/v1/nothing', 404],
    ['an unknown post', 'GET', '/v1/posts/nothing', 404],
    ['a wrong method', 'PUT', '/v1/me', 405],
    ['a bad query', 'GET', '/v1/posts?limit=0', 422],
  ] as const)('says what is left: %s', async (_what, method, path, status) => {
    await using gateway = await testGateway()
    const { key } = gateway.accounts.issue({ scopes: ['read'] })
    const response = await gateway.request(method, path, { key })
    expect(response.status).toBe(status)
    expect(limitHeaders(response)).toEqual(headers)
    expect(gateway.quota.admit).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['2027-03-01T00:00:00.000Z', 28 * 86_400],
    ['2028-03-01T00:00:00.000Z', 29 * 86_400],
    ['2027-01-01T00:00:00.000Z', 31 * 86_400],
  ])('gives the month that ends at %s its real length', async (resetsAt, seconds) => {
    const admit = answering({ month: { limit: 5, used: 6, resetsAt } })
    await using gateway = await testGateway({ quota: { admit } })
    const response = await gateway.request('GET', '/v1/me')
    expect(response.headers.get('ratelimit-policy')).toContain(`"month";q=5;w=${seconds}`)
    expect(response.headers.get('ratelimit')).toContain('"month";r=0;')
  })
})

describe('429', () => {
  test('rate_limited says when the next request would pass', async () => {
    await using gateway = await testGateway({ quota: { admit: RATE_LIMITED } })
    const response = await gateway.request('GET', '/v1/me')
    const { details } = await expectRefusal(response, 429, 'rate_limited')
    expect(details).toEqual({ resetsAt: '2026-11-21T07:00:01.001Z' })
    expect(limitHeaders(response)).toEqual({
      'ratelimit-policy': '"minute";q=60;w=60, "month";q=10000;w=2592000',
      ratelimit: '"minute";r=0;t=2, "month";r=8211;t=838800',
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1795244402',
      'retry-after': '2',
    })
  })

  test('quota_exceeded says when the next month begins', async () => {
    await using gateway = await testGateway({ quota: { admit: QUOTA_EXCEEDED } })
    const response = await gateway.request('GET', '/v1/me')
    const { details } = await expectRefusal(response, 429, 'quota_exceeded')
    expect(details).toEqual({ resetsAt: '2026-12-01T00:00:00.000Z' })
    expect(limitHeaders(response)).toMatchObject({
      ratelimit: '"minute";r=12;t=1, "month";r=0;t=838800',
      'retry-after': '838800',
    })
  })

  test('comes before a missing scope and an unknown path, and keeps the services unasked', async () => {
    await using gateway = await testGateway({ quota: { admit: RATE_LIMITED } })
    const { key } = gateway.accounts.issue({ scopes: [] })
    for (const path of [POST, '/v1/nothing'])
      await expectRefusal(await gateway.request('GET', path, { key }), 429, 'rate_limited')
    expect(gateway.posts.get).not.toHaveBeenCalled()
  })

  test('comes after a bad key and a plan without access, which are not counted and carry no limits', async () => {
    await using gateway = await testGateway({ quota: { admit: RATE_LIMITED } })
    const { key } = gateway.accounts.issue({ apiAccess: false })
    const unknown = await gateway.request('GET', '/v1/me', { key: makeKey() })
    await expectRefusal(unknown, 401, 'unauthorized')
    const refused = await gateway.request('GET', '/v1/me', { key })
    await expectRefusal(refused, 403, 'plan_required')
    for (const response of [unknown, refused])
      expect(Object.values(limitHeaders(response)).filter(Boolean)).toEqual([])
    expect(gateway.quota.admit).not.toHaveBeenCalled()
  })
})

describe('requests at the same time', () => {
  /** A quota service that answers when the test lets it, and what it was asked. */
  function heldQuota(admission: Partial<Admission> = {}) {
    const asked: Parameters<QuotaClient['admit']>[0]['requests'][] = []
    const first = Promise.withResolvers<void>()
    const admit: QuotaClient['admit'] = async ({ requests }) => {
      asked.push(requests)
      if (asked.length === 1) await first.promise
      return {
        admissions: requests.map(({ count }) => ({ ...ADMITTED, granted: count, ...admission })),
      }
    }
    return { admit, asked, release: first.resolve }
  }

  test('are counted in one call while another is on its way, each one of them', async () => {
    const { admit, asked, release } = heldQuota()
    await using gateway = await testGateway({ quota: { admit } })
    const other = gateway.accounts.issue()
    const alone = gateway.request('GET', '/v1/me')
    await expect.poll(() => asked.length).toBe(1)
    const keys = [gateway.key, other.key, gateway.key, gateway.key]
    const together = keys.map((key) => gateway.request('GET', '/v1/me', { key }))
    await expect.poll(() => gateway.accounts.asked.length).toBe(2)
    // The last of them has been read when another request that needs no counting is answered.
    await gateway.request('GET', '/healthz')
    release()
    const statuses = (await Promise.all([alone, ...together])).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect(asked[0]).toEqual([expect.objectContaining({ keyId: gateway.verified.keyId, count: 1 })])
    const counts = (keyId: string) =>
      asked
        .slice(1)
        .flat()
        .filter((each) => each.keyId === keyId)
        .reduce((sum, { count }) => sum + count, 0)
    expect([counts(gateway.verified.keyId), counts(other.verified.keyId)]).toEqual([3, 1])
  })

  test('get as many passes as were granted', async () => {
    const { admit, asked, release } = heldQuota({ granted: 1, refusal: 'rate_limited' })
    await using gateway = await testGateway({ quota: { admit } })
    const calls = Array.from({ length: 6 }, () => gateway.request('GET', '/v1/me'))
    await expect.poll(() => asked.length).toBe(1)
    release()
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(asked.length)
  })
})
