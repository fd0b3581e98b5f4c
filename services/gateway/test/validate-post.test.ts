import { AppError } from '@herald/contracts/errors'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'

const CHANNEL = 'chan_01kb5x4a7ne8btgq1vq4p0d2c9'
const body = { content: 'Fresh bread from seven.', channelIds: [CHANNEL] }

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
beforeEach(() => vi.clearAllMocks())
afterAll(() => gateway.close())

const validate = (sent: unknown, headers?: Record<string, string>) =>
  gateway.request('POST', '/v1/posts/validate', { body: sent, ...(headers && { headers }) })

describe('POST /v1/posts/validate 200', () => {
  test('passes the post on as POST /posts does, and creates none', async () => {
    const response = await validate({ ...body, publishAt: '2026-12-01T08:00:00+01:00' })
    expect(response.status).toBe(200)
    expectFixedHeaders(response.headers)
    expect(await response.json()).toEqual({ valid: true, violations: [] })
    expect(gateway.posts.validate).toHaveBeenCalledExactlyOnceWith({
      caller: {
        organizationId: gateway.verified.organization.id,
        channels: 'all',
        actor: `key:${gateway.verified.keyId}`,
      },
      body: { ...body, mediaIds: [], publishAt: '2026-12-01T07:00:00.000Z' },
    })
    expect(gateway.posts.create).not.toHaveBeenCalled()
  })

  test('answers rules that are broken, which is no refusal', async () => {
    const found = {
      valid: false,
      violations: [
        {
          channelId: CHANNEL,
          platform: 'MASTODON' as const,
          rule: 'reauthRequired',
          path: 'channelIds.0',
          message: 'A channel must be connected again before it can be posted to.',
        },
      ],
    }
    gateway.posts.validate.mockResolvedValueOnce(found)
    const response = await validate(body)
    expect([response.status, await response.json()]).toEqual([200, found])
  })
})

describe('POST /v1/posts/validate 405', () => {
  test.each(['GET', 'PATCH', 'DELETE', 'PUT', 'HEAD'])(
    '%s is not taken for a post with that id',
    async (method) => {
      const response = await gateway.request(method, '/v1/posts/validate')
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    },
  )
})

describe('POST /v1/posts/validate 413, 415', () => {
  test('a body that POST /posts would not read is not read here', async () => {
    const large = JSON.stringify({ ...body, content: 'a'.repeat(256 * 1024) })
    await expectRefusal(await validate(large), 413, 'validation_failed')
    const text = { 'Content-Type': 'text/plain' }
    await expectRefusal(await validate(body, text), 415, 'validation_failed')
    expect(gateway.posts.validate).not.toHaveBeenCalled()
  })
})

describe('POST /v1/posts/validate 422', () => {
  test.each([
    ['nothing', {}],
    ['no channel', { content: 'a', channelIds: [] }],
    ['an unknown field', { ...body, status: 'published' }],
    ['a time without an offset', { ...body, publishAt: '2026-12-01T08:00:00' }],
  ])('a body with %s is refused', async (_what, sent) => {
    await expectRefusal(await validate(sent), 422, 'validation_failed')
    expect(gateway.posts.validate).not.toHaveBeenCalled()
  })

  test('what the posts service refuses is passed on with its details', async () => {
    const details = {
      issues: [{ path: 'channelIds.0', message: 'is not one of your connected channels' }],
    }
    gateway.posts.validate.mockRejectedValueOnce(
      new AppError('validation_failed', 'Unknown.', { details }),
    )
    const error = await expectRefusal(await validate(body), 422, 'validation_failed')
    expect(error.details).toEqual(details)
  })
})
