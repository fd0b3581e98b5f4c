import { unavailable } from '@herald/contracts/errors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'
import { makeKey } from './keys.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

const withHeader = (authorization: string) =>
  gateway.request('GET', '/v1/me', { key: null, headers: { Authorization: authorization } })

/** The body that every refused key gets. */
const expectUnauthorized = async (response: Response) => {
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  return expectRefusal(response, 401, 'unauthorized')
}

describe('401 without asking anybody', () => {
  const key = makeKey()
  const wrongEnd = key.endsWith('0') ? '1' : '0'
  test.each([
    ['1: no key', ''],
    ['2: the scheme alone', 'Bearer'],
    ['an empty key', 'Bearer '],
    ['4: another scheme', `Basic ${key}`],
    ['the key without a scheme', key],
    ['8: a key of 10 KB', `Bearer herald_live_${'a'.repeat(10_000)}`],
    ['a key with a character beyond ASCII', `Bearer ${key.slice(0, -1)}é`],
    ['10: a wrong checksum', `Bearer ${key.slice(0, -1)}${wrongEnd}`],
    ['the prefix alone', 'Bearer herald_live_'],
    ['15: the shown part of a key', `Bearer ${key.slice(0, 16)}`],
    ['16: the prefix of another kind of key', `Bearer ${key.replace('live', 'test')}`],
    ['two keys in one header', `Bearer ${key}, Bearer ${key}`],
    ['a comma behind the key', `Bearer ${key},`],
    ['a tab for the space', `Bearer\t${key}`],
    ['the key in capitals', `Bearer ${key.toUpperCase()}`],
  ])('%s', async (_what, authorization) => {
    const before = gateway.accounts.asked.length
    const none = await expectUnauthorized(await gateway.request('GET', '/v1/me', { key: null }))
    expect(await expectUnauthorized(await withHeader(authorization))).toEqual(none)
    expect(gateway.accounts.asked.length).toBe(before)
  })

  test('6: a key anywhere but in the header counts for nothing', async () => {
    const path = `/v1/me?api_key=${gateway.key}&access_token=${gateway.key}`
    const headers = { 'X-API-Key': gateway.key, Cookie: `key=${gateway.key}` }
    await expectUnauthorized(await gateway.request('GET', path, { key: null, headers }))
  })
})

describe('401 by what is known of the key', () => {
  test('11, 12, 13: unknown, revoked and expired keys get the very same body', async () => {
    const unknown = await expectUnauthorized(
      await gateway.request('GET', '/v1/me', { key: makeKey() }),
    )
    const revoked = gateway.accounts.issue()
    gateway.accounts.revoke(revoked.key)
    const expired = gateway.accounts.issue({ expiresAt: new Date(Date.now() - 1).toISOString() })
    for (const { key } of [revoked, expired])
      expect(await expectUnauthorized(await gateway.request('GET', '/v1/me', { key }))).toEqual(
        unknown,
      )
  })

  test('a key that is in the cache ends at its very millisecond', async () => {
    const clock = { now: Date.parse('2026-11-21T07:00:00.000Z') }
    await using own = await testGateway({ now: () => clock.now })
    const { key } = own.accounts.issue({ expiresAt: '2026-11-21T07:00:01.000Z' })
    clock.now += 999
    expect((await own.request('GET', '/v1/me', { key })).status).toBe(200)
    clock.now += 1
    await expectUnauthorized(await own.request('GET', '/v1/me', { key }))
    expect(own.accounts.asked.length).toBe(1)
  })

  test('an end that cannot be read is an end', async () => {
    const { key } = gateway.accounts.issue({ expiresAt: 'soon' })
    await expectUnauthorized(await gateway.request('GET', '/v1/me', { key }))
  })

  test('a key that is revoked while it is cached is refused as soon as the word comes', async () => {
    const { key, verified } = gateway.accounts.issue()
    expect((await gateway.request('GET', '/v1/me', { key })).status).toBe(200)
    gateway.accounts.revoke(key)
    gateway.auth.evict(verified.keyId)
    await expectUnauthorized(await gateway.request('GET', '/v1/me', { key }))
  })
})

describe('200', () => {
  test.each(['bearer', 'BEARER', 'Bearer', 'BeArEr'])('3: the scheme may be %s', async (scheme) => {
    expect((await withHeader(`${scheme} ${gateway.key}`)).status).toBe(200)
  })

  test('28, 29, 30, 34, 35: forged addresses and organizations change nothing', async () => {
    const headers = {
      'X-Forwarded-For': '127.0.0.1',
      'X-Org-Id': 'org_other',
      Origin: 'http://evil.example',
      Accept: 'text/html',
      'X-HTTP-Method-Override': 'DELETE',
    }
    const response = await gateway.request('GET', '/v1/me', { headers })
    expectFixedHeaders(response.headers)
    expect(await response.json()).toMatchObject({
      organization: gateway.verified.organization,
      key: gateway.verified.key,
    })
  })
})

describe('403 plan_required', () => {
  test.each(['/v1/me', '/v1/channels', '/v1/posts', '/v1/nothing'])(
    '18: an organization without API access gets no further on %s',
    async (path) => {
      const { key } = gateway.accounts.issue({ apiAccess: false })
      await expectRefusal(await gateway.request('GET', path, { key }), 403, 'plan_required')
    },
  )
})

describe('503', () => {
  test.each([
    ['does not answer', unavailable()],
    ['fails', new TypeError('broken')],
  ])(
    'nobody is let in when the accounts service %s, and it is asked again',
    async (_how, error) => {
      await using own = await testGateway()
      own.accounts.failWith(error)
      const response = await own.request('GET', '/v1/me')
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      await expectRefusal(response, 503, 'internal_error')
      own.accounts.failWith(undefined)
      expect((await own.request('GET', '/v1/me')).status).toBe(200)
    },
  )
})

test('the log of a request has the prefix of the key, never the key', async () => {
  await using own = await testGateway()
  await own.request('GET', `/v1/posts?cursor=${own.key}`, { headers: { 'X-Request-Id': 'r-1' } })
  await own.close()
  expect(own.log).toContainEqual(
    expect.objectContaining({
      requestId: 'r-1',
      method: 'GET',
      route: '/v1/posts',
      status: 200,
      organizationId: own.verified.organization.id,
      key: own.key.slice(0, 16),
      ms: expect.any(Number),
    }),
  )
  expect(JSON.stringify(own.log)).not.toContain(own.key)
})
