import { describe, expect, test } from 'vitest'
import { mastodonConnector as mastodon } from '../src/mastodon/connector.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const STATUS = {
  id: '110',
  url: 'https://mastodon.example/@ada/110',
  created_at: '2026-11-21T09:30:01.5Z',
  content: '<p>Hello</p>',
  spoiler_text: '',
}

async function commitAnswered(answer: Answer) {
  await using server = await scriptedServer(() => answer)
  return await mastodon.commit(aPublishInput({ baseUrl: server.url }))
}

describe('preparing a post for Mastodon', () => {
  test('has nothing to do for a text', async () => {
    const baseUrl = await closedPort()
    expect(await mastodon.prepare(aPublishInput({ baseUrl }))).toEqual({
      outcome: 'ready',
      step: {},
    })
  })

  test('refuses options that are not understood', async () => {
    expect(await mastodon.prepare(aPublishInput({ options: { poll: {} } }))).toMatchObject({
      outcome: 'permanent',
      errorCode: 'invalid_options',
    })
  })
})

describe('the call that makes a post live on Mastodon', () => {
  test('carries text, options, token and key, and answers where the post is', async () => {
    await using server = await scriptedServer(() => ({ body: STATUS }))
    const options = { visibility: 'unlisted', sensitive: true, spoilerText: 'cw', language: 'de' }
    const outcome = await mastodon.commit(
      aPublishInput({ baseUrl: `${server.url}/`, text: 'Grüße', options }),
    )
    expect(outcome).toEqual({
      outcome: 'published',
      platformPostId: '110',
      url: 'https://mastodon.example/@ada/110',
      publishedAt: '2026-11-21T09:30:01.500Z',
    })
    const [request, ...others] = server.received
    expect(others).toEqual([])
    expect(request).toMatchObject({ method: 'POST', path: '/api/v1/statuses' })
    expect(request!.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'idempotency-key': 'post_1.chan_1.1',
      'content-type': 'application/json',
    })
    expect(JSON.parse(request!.body)).toEqual({
      status: 'Grüße',
      visibility: 'unlisted',
      sensitive: true,
      spoiler_text: 'cw',
      language: 'de',
    })
  })

  test('says only what is asked for', async () => {
    await using server = await scriptedServer(() => ({ body: STATUS }))
    await mastodon.commit(aPublishInput({ baseUrl: server.url }))
    expect(JSON.parse(server.received[0]!.body)).toEqual({ status: 'Hello' })
  })

  test.each([null, 'javascript:alert(1)', 'not an address'])(
    'answers an address of its own making when the instance says %j',
    async (url) => {
      await using server = await scriptedServer(() => ({ body: { ...STATUS, url } }))
      expect(await mastodon.commit(aPublishInput({ baseUrl: server.url }))).toMatchObject({
        outcome: 'published',
        url: `${server.url}/@ada/110`,
      })
    },
  )

  test.each<[number, string, object]>([
    [401, 'The access token is invalid', { outcome: 'reauth' }],
    [401, 'The access token was revoked', { outcome: 'reauth' }],
    [
      403,
      'Your login is currently disabled',
      { outcome: 'permanent', errorCode: 'account_suspended' },
    ],
    [
      403,
      'Your account has been suspended',
      { outcome: 'permanent', errorCode: 'account_suspended' },
    ],
    [
      403,
      'This action is outside the authorized scopes',
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [403, 'This action is not allowed', { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [
      422,
      "Validation failed: Text can't be blank",
      { outcome: 'permanent', errorCode: 'text_empty' },
    ],
    [
      422,
      'Validation failed: Text character limit of 500 exceeded',
      { outcome: 'permanent', errorCode: 'text_too_long' },
    ],
    [
      422,
      'Validation failed: Text is a duplicate',
      { outcome: 'permanent', errorCode: 'duplicate' },
    ],
    [
      422,
      'Cannot attach files that have not finished processing. Try again in a moment!',
      { outcome: 'transient' },
    ],
    [
      422,
      'Validation failed: Language is odd',
      {
        outcome: 'permanent',
        errorCode: 'platform_rejected',
        message: 'Mastodon refused the post: Validation failed: Language is odd',
      },
    ],
    [
      422,
      'Media 110 not found or already attached to another post',
      { outcome: 'permanent', errorCode: 'media_missing' },
    ],
    [422, 'Cannot attach more than 4 files', { outcome: 'permanent', errorCode: 'media_mix' }],
    [
      422,
      'Cannot attach a video to a post that already contains images',
      { outcome: 'permanent', errorCode: 'media_mix' },
    ],
    [413, 'Payload too large', { outcome: 'permanent', errorCode: 'too_large' }],
    [404, 'Record not found', { outcome: 'permanent', errorCode: 'platform_rejected' }],
    [429, 'Too many requests', { outcome: 'rate_limited', retryAt: null }],
    [408, 'Request timeout', { outcome: 'unknown' }],
    [409, 'Conflict', { outcome: 'unknown' }],
    [425, 'Too early', { outcome: 'unknown' }],
    [302, 'Found', { outcome: 'unknown' }],
    [500, 'Internal server error', { outcome: 'unknown' }],
    [502, 'Bad gateway', { outcome: 'unknown' }],
    [503, 'Service unavailable', { outcome: 'unknown' }],
    [504, 'Gateway timeout', { outcome: 'unknown' }],
  ])('answered with %i %s', async (status, error, expected) => {
    expect(await commitAnswered({ status, body: { error } })).toMatchObject(expected)
  })

  test('answered with 429 is told when to come again', async () => {
    const reset = new Date(Date.now() + 60_000).toISOString()
    expect(
      await commitAnswered({ status: 429, headers: { 'x-ratelimit-reset': reset }, body: '' }),
    ).toMatchObject({ outcome: 'rate_limited', retryAt: Date.parse(reset) })
  })

  test('shows a refusal as one short line', async () => {
    const outcome = await commitAnswered({
      status: 422,
      body: { error: `a\n\u0000b ${'x'.repeat(5000)}` },
    })
    expect(outcome).toMatchObject({
      message: expect.stringMatching(/^Mastodon refused the post: a b x+…$/),
    })
    expect(JSON.stringify(outcome).length).toBeLessThan(500)
  })

  test.each<[string, Answer]>([
    ['no JSON', { body: '<html>' }],
    ['half a JSON', { body: '{"id":"1' }],
    ['nothing', { body: '' }],
    ['a post without an id', { body: { ...STATUS, id: '' } }],
    ['a scheduled post', { body: { id: '1', scheduled_at: '2026-11-21T09:30:00Z', params: {} } }],
  ])('answered as a success with %s has an unknown outcome', async (_, answer) => {
    expect(await commitAnswered(answer)).toMatchObject({ outcome: 'unknown' })
  })

  test('has certainly not happened when nobody listens', async () => {
    const baseUrl = await closedPort()
    expect(await mastodon.commit(aPublishInput({ baseUrl }))).toEqual({
      outcome: 'transient',
      message: 'Mastodon could not be reached (ECONNREFUSED).',
    })
  })

  test('has an unknown outcome when the connection breaks after it was sent', async () => {
    await using server = await scriptedServer((_, response) => void response.destroy())
    expect(await mastodon.commit(aPublishInput({ baseUrl: server.url }))).toMatchObject({
      outcome: 'unknown',
    })
    expect(server.received).toHaveLength(1)
  })

  test('has an unknown outcome when the caller stops waiting', async () => {
    const controller = new AbortController()
    await using server = await scriptedServer(() => {
      controller.abort()
      return undefined
    })
    const input = aPublishInput({ baseUrl: server.url, signal: controller.signal })
    expect(await mastodon.commit(input)).toMatchObject({ outcome: 'unknown' })
  })
})
