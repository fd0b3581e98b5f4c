import { AppError, unavailable } from '@herald/contracts/errors'
import { describe, expect, test } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway } from './harness.ts'

describe('GET /v1/channels 200', () => {
  test('gives what the channels service lists for the organization and the key', async () => {
    await using gateway = await testGateway()
    const channels = ['chan_01kb5x4a7ne8btgq1vq4p0d2c9']
    const { key, verified } = gateway.accounts.issue({ channels })
    const response = await gateway.request('GET', '/v1/channels', { key })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ data: [] })
    expectFixedHeaders(response.headers)
    expect(gateway.channels.list).toHaveBeenCalledExactlyOnceWith({
      organizationId: verified.organization.id,
      channels,
    })
  })
})

describe('GET /v1/channels 503', () => {
  test('a channels service that does not answer is told as unavailable, with Retry-After', async () => {
    const list = async () => Promise.reject(unavailable())
    await using gateway = await testGateway({ channels: { list } })
    const response = await gateway.request('GET', '/v1/channels')
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    await expectRefusal(response, 503, 'internal_error')
  })
})

describe('GET /v1/channels 500', () => {
  test('a crash answers a fixed text, and the log has the reason', async () => {
    const list = async () => Promise.reject(new TypeError('secret detail'))
    await using gateway = await testGateway({ channels: { list } })
    const error = await expectRefusal(
      await gateway.request('GET', '/v1/channels'),
      500,
      'internal_error',
    )
    expect(JSON.stringify(error)).not.toContain('secret detail')
    expect(gateway.log).toContainEqual(
      expect.objectContaining({
        level: 50,
        msg: 'A request crashed.',
        error: expect.objectContaining({ message: 'secret detail' }),
      }),
    )
  })
})

describe('GET /v1/channels 429', () => {
  test('a refusal for rate carries Retry-After and says when the limit ends', async () => {
    const details = { resetsAt: '2026-11-21T07:01:00.000Z' }
    const list = async () => Promise.reject(new AppError('rate_limited', 'Too many.', { details }))
    await using gateway = await testGateway({ channels: { list } })
    const response = await gateway.request('GET', '/v1/channels')
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect((await expectRefusal(response, 429, 'rate_limited')).details).toEqual(details)
  })
})
