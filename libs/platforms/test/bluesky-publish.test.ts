import { describe, expect, test } from 'vitest'
import { blueskyConnector as bluesky } from '../src/bluesky/connector.ts'
import { rkeyOf } from '../src/bluesky/rkey.ts'
import type { LookUpInput } from '../src/platform.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, scriptedServer, type Script } from './scripted-server.ts'

const RKEY = rkeyOf(aPublishInput({}))
const URI = `at://did:plc:ada/app.bsky.feed.post/${RKEY}`
const CREATED = { uri: URI, cid: 'bafy', commit: { cid: 'c', rev: 'r' }, validationStatus: 'valid' }

function anInput(overrides: Partial<LookUpInput> = {}): LookUpInput {
  return aPublishInput({ account: 'did:plc:ada', username: 'ada.test', ...overrides })
}

async function commitAnswered(answer: Answer) {
  await using server = await scriptedServer(() => answer)
  return await bluesky.commit(anInput({ baseUrl: server.url }))
}

describe('preparing a post for Bluesky', () => {
  const resolving: Script = ({ query: { handle } }) =>
    handle === 'ada.test'
      ? { body: { did: 'did:plc:ada' } }
      : { status: 400, body: { error: 'InvalidRequest', message: 'Unable to resolve handle' } }

  test('asks nothing for a text without mentions', async () => {
    const baseUrl = await closedPort()
    const text = 'Hello #tag https://a.io'
    expect(await bluesky.prepare(anInput({ baseUrl, text }))).toEqual({
      outcome: 'ready',
      step: { mentions: {}, files: {} },
    })
  })

  test('asks once for each handle, and leaves out those that do not exist', async () => {
    await using server = await scriptedServer(resolving)
    const text = '@ada.test @Ada.Test @eve.test'
    expect(await bluesky.prepare(anInput({ baseUrl: server.url, text }))).toEqual({
      outcome: 'ready',
      step: { mentions: { 'ada.test': 'did:plc:ada' }, files: {} },
    })
    expect(server.received).toHaveLength(2)
  })

  test.each<[string, Script]>([
    ['the server fails at it', () => ({ status: 500, body: '' })],
    ['the answer is unreadable', () => ({ body: '<html>' })],
    ['the answer is no account', () => ({ body: { did: 'nonsense' } })],
    ['the answer breaks off', (_, response) => void response.destroy()],
  ])('leaves a mention as text when %s', async (_, script) => {
    await using server = await scriptedServer(script)
    const input = anInput({ baseUrl: server.url, text: '@ada.test' })
    expect(await bluesky.prepare(input)).toMatchObject({
      outcome: 'ready',
      step: { mentions: {} },
    })
  })

  test('waits when the server is out of reach or wants to be asked later', async () => {
    const text = '@ada.test'
    expect(await bluesky.prepare(anInput({ baseUrl: await closedPort(), text }))).toMatchObject({
      outcome: 'transient',
    })
    await using server = await scriptedServer(() => ({ status: 429, body: '' }))
    expect(await bluesky.prepare(anInput({ baseUrl: server.url, text }))).toMatchObject({
      outcome: 'rate_limited',
    })
  })

  test('refuses options that are not understood', async () => {
    expect(await bluesky.prepare(anInput({ options: { labels: [] } }))).toMatchObject({
      outcome: 'permanent',
      errorCode: 'invalid_options',
    })
  })
})

describe('the call that makes a post live on Bluesky', () => {
  test('names its own record, and answers where the post is', async () => {
    await using server = await scriptedServer(() => ({ body: CREATED }))
    const before = Date.now()
    const outcome = await bluesky.commit(
      anInput({
        baseUrl: server.url,
        text: 'Grüße @ada.test https://a.io',
        options: { languages: ['de', 'en-GB'] },
        step: { mentions: { 'ada.test': 'did:plc:ada' } },
      }),
    )
    expect(outcome).toMatchObject({
      outcome: 'published',
      platformPostId: URI,
      url: `${server.url}/profile/ada.test/post/${RKEY}`,
    })
    const { publishedAt } = outcome as { publishedAt: string }
    expect(Date.parse(publishedAt)).toBeGreaterThanOrEqual(before)
    const [request, ...others] = server.received
    expect(others).toEqual([])
    expect(request).toMatchObject({
      method: 'POST',
      path: '/xrpc/com.atproto.repo.createRecord',
      headers: { authorization: 'Bearer token-1', 'content-type': 'application/json' },
    })
    expect(JSON.parse(request!.body)).toEqual({
      repo: 'did:plc:ada',
      collection: 'app.bsky.feed.post',
      rkey: RKEY,
      record: {
        $type: 'app.bsky.feed.post',
        text: 'Grüße @ada.test https://a.io',
        createdAt: '2026-11-21T09:30:00.000Z',
        langs: ['de', 'en-GB'],
        facets: [
          {
            index: { byteStart: 8, byteEnd: 17 },
            features: [{ $type: 'app.bsky.richtext.facet#mention', did: 'did:plc:ada' }],
          },
          {
            index: { byteStart: 18, byteEnd: 30 },
            features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://a.io' }],
          },
        ],
      },
    })
  })

  test('made again is the same to the byte', async () => {
    await using server = await scriptedServer(() => ({ body: CREATED }))
    const input = anInput({ baseUrl: server.url, text: '#a https://a.io' })
    await bluesky.commit(input)
    await bluesky.commit({ ...input })
    const [one, other] = server.received
    expect(one!.body).toBe(other!.body)
    expect(Object.keys(JSON.parse(one!.body).record)).not.toContain('langs')
  })

  test.each<[number, string, string, object]>([
    [
      400,
      'InvalidRequest',
      'Invalid app.bsky.feed.post record: grapheme too big (maximum 300, got 301) at $.record.text',
      { outcome: 'permanent', errorCode: 'text_too_long' },
    ],
    [
      400,
      'InvalidRequest',
      'Record/text must not be longer than 300 graphemes',
      { outcome: 'permanent', errorCode: 'text_too_long' },
    ],
    [
      400,
      'InvalidRequest',
      'string too big (maximum 3000, got 3001) at $.record.text',
      { outcome: 'permanent', errorCode: 'text_too_long' },
    ],
    [
      400,
      'InvalidRequest',
      'array too big (maximum 4, got 5) at $.record.embed.images',
      { outcome: 'permanent', errorCode: 'too_many_images' },
    ],
    [
      400,
      'InvalidRequest',
      'Could not find repo: did:plc:ada',
      { outcome: 'permanent', errorCode: 'account_not_found' },
    ],
    [
      400,
      'InvalidRequest',
      'Something else',
      {
        outcome: 'permanent',
        errorCode: 'platform_rejected',
        message: 'Bluesky refused the post: Something else',
      },
    ],
    [400, 'BlobNotFound', 'Could not find blob', { outcome: 'unprepared' }],
    [400, 'InvalidToken', 'Token could not be verified', { outcome: 'reauth' }],
    [400, 'ExpiredToken', 'Token has expired', { outcome: 'reauth' }],
    [401, 'AuthMissing', 'Authentication Required', { outcome: 'reauth' }],
    [401, 'AuthenticationRequired', 'Invalid', { outcome: 'reauth' }],
    [
      401,
      'AccountTakedown',
      'Account has been taken down',
      { outcome: 'permanent', errorCode: 'account_suspended' },
    ],
    [
      403,
      'AccountSuspended',
      'Suspended',
      { outcome: 'permanent', errorCode: 'account_suspended' },
    ],
    [
      400,
      'AccountDeactivated',
      'Deactivated',
      { outcome: 'permanent', errorCode: 'account_deactivated' },
    ],
    [
      400,
      'BlobTooLarge',
      'This file is too large. It is 1.5MB but the maximum size is 976.56KB.',
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      400,
      'InvalidMimeType',
      'Wrong type of file',
      { outcome: 'permanent', errorCode: 'media_unfit' },
    ],
    [
      413,
      'PayloadTooLarge',
      'request entity too large',
      { outcome: 'permanent', errorCode: 'platform_rejected' },
    ],
    [429, 'RateLimitExceeded', 'Rate Limit Exceeded', { outcome: 'rate_limited', retryAt: null }],
    [408, 'RequestTimeout', 'Timeout', { outcome: 'unknown' }],
    [307, 'Elsewhere', 'Moved', { outcome: 'unknown' }],
    [500, 'InternalServerError', 'Internal Server Error', { outcome: 'unknown' }],
    [502, 'UpstreamFailure', 'Upstream Failure', { outcome: 'unknown' }],
    [503, 'NotEnoughResources', 'Busy', { outcome: 'unknown' }],
  ])('answered with %i %s %s', async (status, error, message, expected) => {
    expect(await commitAnswered({ status, body: { error, message } })).toMatchObject(expected)
  })

  test('answered with 429 is told when to come again', async () => {
    const reset = Math.floor(Date.now() / 1000) + 60
    const headers = { 'ratelimit-reset': String(reset) }
    expect(
      await commitAnswered({ status: 429, headers, body: { error: 'RateLimitExceeded' } }),
    ).toMatchObject({ outcome: 'rate_limited', retryAt: reset * 1000 })
  })

  test.each<[string, Answer]>([
    ['no JSON', { body: '<html>' }],
    ['half a JSON', { body: '{"uri":"at' }],
    ['nothing', { body: '' }],
    ['another record', { body: { ...CREATED, uri: 'at://did:plc:ada/app.bsky.feed.post/3k' } }],
  ])('answered as a success with %s has an unknown outcome', async (_, answer) => {
    expect(await commitAnswered(answer)).toMatchObject({ outcome: 'unknown' })
  })

  test('has certainly not happened when nobody listens', async () => {
    const baseUrl = await closedPort()
    expect(await bluesky.commit(anInput({ baseUrl }))).toMatchObject({ outcome: 'transient' })
  })

  test('has an unknown outcome when the connection breaks after it was sent', async () => {
    await using server = await scriptedServer((_, response) => void response.destroy())
    expect(await bluesky.commit(anInput({ baseUrl: server.url }))).toMatchObject({
      outcome: 'unknown',
    })
  })
})
