import { describe, expect, test } from 'vitest'
import { xConnector as x } from '../src/x/connector.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const CREATED: Answer = { status: 201, body: { data: { id: '19', text: 'Hello' } } }

async function commitAnswered(answer: Answer) {
  await using server = await scriptedServer(() => answer)
  return await x.commit(aPublishInput({ settings: { apiUrl: server.url } }))
}

const problem = (detail: string, type = 'about:blank') => ({ title: 'T', detail, type })
const permanent = (errorCode: string) => ({ outcome: 'permanent', errorCode })

describe('preparing a post for X', () => {
  test('has nothing to do for a text', async () => {
    const settings = { apiUrl: await closedPort() }
    expect(await x.prepare(aPublishInput({ settings }))).toEqual({ outcome: 'ready', step: {} })
  })

  test('refuses options that are not understood', async () => {
    expect(await x.prepare(aPublishInput({ options: { poll: {} } }))).toMatchObject(
      permanent('invalid_options'),
    )
  })
})

describe('the call that makes a post live on X', () => {
  test('carries text, files, options and token, and answers where the post is', async () => {
    await using server = await scriptedServer(() => CREATED)
    const upload = {
      key: '3_7',
      sizeBytes: 1,
      sentBytes: 1,
      isWhole: true,
      isReady: true,
      isDescribed: false,
    }
    const outcome = await x.commit(
      aPublishInput({
        settings: { apiUrl: `${server.url}/`, webUrl: 'https://x.example' },
        text: 'Grüße',
        options: { replySettings: 'following', madeWithAi: true, paidPartnership: false },
        media: [aPublishFile('med_2', 'image'), aPublishFile('med_1', 'image')],
        step: { uploads: { med_1: { ...upload, id: '11' }, med_2: { ...upload, id: '12' } } },
      }),
    )
    expect(outcome).toMatchObject({
      outcome: 'published',
      platformPostId: '19',
      url: 'https://x.example/ada/status/19',
    })
    const [request, ...others] = server.received
    expect(others).toEqual([])
    expect(request).toMatchObject({ method: 'POST', path: '/2/tweets' })
    expect(request!.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'content-type': 'application/json',
    })
    expect(JSON.parse(request!.body)).toEqual({
      text: 'Grüße',
      media: { media_ids: ['12', '11'] },
      reply_settings: 'following',
      made_with_ai: true,
      paid_partnership: false,
    })
  })

  test('says only what is asked for', async () => {
    await using server = await scriptedServer(() => CREATED)
    await x.commit(aPublishInput({ settings: { apiUrl: server.url } }))
    expect(JSON.parse(server.received[0]!.body)).toEqual({ text: 'Hello' })
  })

  test('is not made without one of its files', async () => {
    await using server = await scriptedServer(() => CREATED)
    const media = [aPublishFile('med_1', 'image')]
    const input = aPublishInput({ settings: { apiUrl: server.url }, media })
    expect(await x.commit(input)).toMatchObject(permanent('media_missing'))
    expect(server.received).toEqual([])
  })

  test.each<[number, object, object]>([
    [401, problem('Unauthorized'), { outcome: 'reauth' }],
    [
      403,
      problem('You are not allowed to create a Tweet with duplicate content.'),
      permanent('duplicate'),
    ],
    [403, problem('Your Tweet text is too long.'), permanent('text_too_long')],
    [
      403,
      { errors: [{ code: 186, message: 'Tweet needs to be a bit shorter.' }] },
      permanent('text_too_long'),
    ],
    [403, problem('Your account is temporarily locked.'), permanent('account_suspended')],
    [
      403,
      { errors: [{ code: 64, message: 'Your account is suspended.' }] },
      permanent('account_suspended'),
    ],
    [
      403,
      problem('No', 'https://api.twitter.com/2/problems/client-forbidden'),
      permanent('missing_permission'),
    ],
    [
      403,
      problem('No', 'https://api.x.com/2/problems/oauth1-permissions'),
      permanent('missing_permission'),
    ],
    [
      403,
      problem('Wrong kind', 'https://api.x.com/2/problems/unsupported-authentication'),
      { outcome: 'reauth' },
    ],
    [403, problem('You are not permitted to perform this action.'), permanent('platform_rejected')],
    [
      400,
      {
        errors: [
          { parameters: { 'media.media_ids': ['1'] }, message: 'Your media IDs are invalid.' },
        ],
        ...problem('One or more parameters to your request was invalid.'),
      },
      { outcome: 'unprepared' },
    ],
    [
      400,
      problem('Odd'),
      { ...permanent('platform_rejected'), message: 'X refused the post: Odd' },
    ],
    [
      402,
      problem('No credits', 'https://api.x.com/2/problems/credits'),
      permanent('platform_quota'),
    ],
    [429, problem('Too Many Requests'), { outcome: 'rate_limited', retryAt: null }],
    [429, problem('Cap', 'https://api.x.com/2/problems/usage-capped'), permanent('platform_quota')],
    [408, {}, { outcome: 'unknown' }],
    [409, {}, { outcome: 'unknown' }],
    [302, {}, { outcome: 'unknown' }],
    [500, problem('Broken'), { outcome: 'unknown' }],
    [503, {}, { outcome: 'unknown' }],
  ])('answered with %i %j', async (status, body, expected) => {
    expect(await commitAnswered({ status, body })).toMatchObject(expected)
  })

  test('answered with 429 is told when to come again', async () => {
    const reset = Math.floor(Date.now() / 1000) + 60
    const headers = { 'x-rate-limit-reset': String(reset), 'x-rate-limit-remaining': '0' }
    expect(await commitAnswered({ status: 429, headers, body: '' })).toMatchObject({
      outcome: 'rate_limited',
      retryAt: reset * 1000,
    })
  })

  test('answered with a post and a complaint has made the post live', async () => {
    const body = { data: { id: '19', text: 'Hello' }, errors: [problem('Something')] }
    expect(await commitAnswered({ status: 201, body })).toMatchObject({ outcome: 'published' })
  })

  test.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['half a JSON', '{"data":{"id":"1'],
    ['nothing', ''],
    ['a post without an id', { data: { text: 'Hello' } }],
    ['nothing but a complaint', { errors: [problem('Something')] }],
  ])('answered as a success with %s has an unknown outcome', async (_, body) => {
    expect(await commitAnswered({ status: 201, body })).toMatchObject({ outcome: 'unknown' })
  })

  test('has certainly not happened when nobody listens', async () => {
    const settings = { apiUrl: await closedPort() }
    expect(await x.commit(aPublishInput({ settings }))).toEqual({
      outcome: 'transient',
      message: 'X could not be reached (ECONNREFUSED).',
    })
  })

  test('has an unknown outcome when the connection breaks after it was sent', async () => {
    await using server = await scriptedServer((_, response) => void response.destroy())
    const input = aPublishInput({ settings: { apiUrl: server.url } })
    expect(await x.commit(input)).toMatchObject({ outcome: 'unknown' })
    expect(server.received).toHaveLength(1)
  })

  test('has an unknown outcome when the caller stops waiting', async () => {
    const controller = new AbortController()
    await using server = await scriptedServer(() => {
      controller.abort()
      return undefined
    })
    const { signal } = controller
    const input = aPublishInput({ settings: { apiUrl: server.url }, signal })
    expect(await x.commit(input)).toMatchObject({ outcome: 'unknown' })
  })
})
