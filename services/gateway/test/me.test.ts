import { Me } from '@herald/contracts/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

describe('GET /v1/me 200', () => {
  test('tells the organization, the key and what is left, and nothing that lets anybody call', async () => {
    const response = await gateway.request('GET', '/v1/me')
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(Me.parse(JSON.parse(text))).toEqual({
      organization: gateway.verified.organization,
      key: gateway.verified.key,
      quota: {
        requestsPerMinute: 60,
        requestsPerMonth: 10_000,
        usedThisMonth: 1_789,
        resetsAt: '2026-12-01T00:00:00.000Z',
      },
    })
    expect(text).not.toContain(gateway.key)
    expectFixedHeaders(response.headers)
  })

  test('reports the only channels that a limited key sees', async () => {
    const channels = ['chan_01kb5x4a7ne8btgq1vq4p0d2c9']
    const { key } = gateway.accounts.issue({ channels })
    const response = await gateway.request('GET', '/v1/me', { key })
    expect(Me.parse(await response.json()).key.channels).toEqual(channels)
  })
})

describe('GET /v1/me 405', () => {
  test.each(['POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'])('%s is refused', async (method) => {
    const response = await gateway.request(method, '/v1/me')
    expect(response.headers.get('allow')).toBe('GET')
    await expectRefusal(response, 405, 'validation_failed')
  })

  test('HEAD is refused like any other method', async () => {
    const response = await gateway.request('HEAD', '/v1/me')
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET')
    expectFixedHeaders(response.headers)
  })
})
