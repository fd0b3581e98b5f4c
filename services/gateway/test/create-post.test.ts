import { AppError } from '@herald/contracts/errors'
import { Post } from '@herald/contracts/posts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectFixedHeaders, expectRefusal, testGateway, type TestGateway } from './harness.ts'

const body = { content: 'Fresh bread from seven.', channelIds: ['chan_01kb5x4a7ne8btgq1vq4p0d2c9'] }

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
beforeEach(() => void gateway.posts.create.mockClear())
afterAll(() => gateway.close())

const post = (sent: unknown, headers?: Record<string, string>) =>
  gateway.request('POST', '/v1/posts', { body: sent, ...(headers && { headers }) })

describe('POST /v1/posts 201', () => {
  test('passes the post on for the organization of the key, made through the API', async () => {
    const response = await post({ ...body, publishAt: '2026-12-01T08:00:00+01:00' })
    expect(response.status).toBe(201)
    expect(Post.safeParse(await response.json()).success).toBe(true)
    expectFixedHeaders(response.headers)
    expect(gateway.posts.create).toHaveBeenCalledExactlyOnceWith({
      caller: {
        organizationId: gateway.verified.organization.id,
        channels: 'all',
        actor: `key:${gateway.verified.keyId}`,
      },
      source: 'api',
      body: { ...body, mediaIds: [], publishAt: '2026-12-01T07:00:00.000Z' },
    })
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
  ])('takes the content type %s', async (type) => {
    expect((await post(body, { 'Content-Type': type })).status).toBe(201)
  })

  test('52, 62: takes a byte order mark, and the last of two equal names', async () => {
    const response = await post(`\uFEFF{"content":"a","content":"b","channelIds":["c"]}`)
    expect(response.status).toBe(201)
    expect(gateway.posts.create.mock.calls[0]?.[0].body.content).toBe('b')
  })
})

describe('POST /v1/posts 409', () => {
  test.each([
    ['duplicate_post', { postId: 'post_01kb5x4a7ne8btgq1vq4p0d2c9' }],
    ['limit_reached', undefined],
    ['reauth_required', undefined],
  ] as const)('%s of the posts service is passed on with its details', async (code, details) => {
    gateway.posts.create.mockRejectedValueOnce(new AppError(code, 'No.', { details }))
    expect(await expectRefusal(await post(body), 409, code)).toEqual({
      code,
      message: 'No.',
      ...(details && { details }),
    })
  })
})

describe('POST /v1/posts 413', () => {
  test('a body larger than 256 KB is refused', async () => {
    const large = JSON.stringify({ ...body, content: 'a'.repeat(256 * 1024) })
    await expectRefusal(await post(large), 413, 'validation_failed')
    expect(gateway.posts.create).not.toHaveBeenCalled()
  })
})

describe('POST /v1/posts 415', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json; charset=foo',
    'application/jsonx',
    'application/json, text/plain',
  ])('45, 46: the content type %s is refused', async (type) => {
    await expectRefusal(await post(body, { 'Content-Type': type }), 415, 'validation_failed')
    expect(gateway.posts.create).not.toHaveBeenCalled()
  })

  test('a body without a content type is refused', async () => {
    const response = await post(new TextEncoder().encode('{}'), { 'Content-Type': '' })
    await expectRefusal(response, 415, 'validation_failed')
  })

  test.each(['rot13', 'compress', 'gzip, gzip'])(
    'the content encoding %s is refused',
    async (encoding) => {
      const response = await post(body, { 'Content-Encoding': encoding })
      await expectRefusal(response, 415, 'validation_failed')
      expect(gateway.posts.create).not.toHaveBeenCalled()
    },
  )
})

describe('POST /v1/posts 422', () => {
  test('names every place that is wrong, but not the values', async () => {
    const error = await expectRefusal(
      await post({ content: 7, channelIds: ['a', 'a'], status: 'published' }),
      422,
      'validation_failed',
    )
    const { issues } = error.details as { issues: { path: string; message: string }[] }
    expect(issues.map(({ path }) => path).toSorted()).toEqual(['', 'channelIds', 'content'])
  })

  test('a platform rule that the posts service finds broken is passed on', async () => {
    const details = { issues: [{ path: 'content', message: 'is too long for mastodon' }] }
    gateway.posts.create.mockRejectedValueOnce(
      new AppError('validation_failed', 'Too long.', { details }),
    )
    const error = await expectRefusal(await post(body), 422, 'validation_failed')
    expect(error.details).toEqual(details)
  })
})
