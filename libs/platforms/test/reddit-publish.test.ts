import { describe, expect, test } from 'vitest'
import { redditConnector as reddit } from '../src/reddit/connector.ts'
import { aPublishFile } from './publish-file.ts'
import { aPublishInput } from './publish-input.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const URL_OF_POST = 'https://www.reddit.com/r/boats/comments/1abc/a_boat/'
const OPTIONS = { subreddit: 'boats', title: 'A boat' }

function anInput(apiUrl: string, more: Partial<ReturnType<typeof aPublishInput>> = {}) {
  const settings = { apiUrl, webUrl: 'https://www.reddit.com', userAgent: 'test:herald:v1' }
  return aPublishInput({ settings, options: OPTIONS, ...more })
}

async function commitAnswered(answer: Answer) {
  await using server = await scriptedServer(() => answer)
  return await reddit.commit(anInput(server.url))
}

function refused(code: string, message = '', more = {}): Answer {
  return { body: { json: { errors: [[code, message, 'field']], ...more } } }
}

describe('the call that makes a post live on Reddit', () => {
  test('says what is posted where, and by whom', async () => {
    await using server = await scriptedServer(() => ({
      body: { json: { errors: [], data: { url: URL_OF_POST, id: '1abc', name: 't3_1abc' } } },
    }))
    const options = { ...OPTIONS, flairId: 'f1', nsfw: true, sendReplies: false }
    const outcome = await reddit.commit(anInput(server.url, { options, text: 'Grüße' }))
    expect(outcome).toEqual({
      outcome: 'published',
      platformPostId: 't3_1abc',
      url: URL_OF_POST,
      publishedAt: expect.stringMatching(/Z$/),
    })
    const [call, ...others] = server.received
    expect(others).toEqual([])
    expect(call).toMatchObject({
      method: 'POST',
      path: '/api/submit',
      headers: { authorization: 'Bearer token-1', 'user-agent': 'test:herald:v1' },
    })
    expect(Object.fromEntries(new URLSearchParams(call!.body))).toEqual({
      api_type: 'json',
      sr: 'boats',
      kind: 'self',
      title: 'A boat',
      text: 'Grüße',
      flair_id: 'f1',
      nsfw: 'true',
      spoiler: 'false',
      sendreplies: 'false',
      resubmit: 'true',
      validate_on_submit: 'true',
    })
  })

  test.each<[string, object]>([
    ['SUBREDDIT_NOEXIST', { outcome: 'permanent', errorCode: 'subreddit_not_found' }],
    ['SUBREDDIT_NOTALLOWED', { outcome: 'permanent', errorCode: 'missing_permission' }],
    ['NO_SELFS', { outcome: 'permanent', errorCode: 'kind_not_allowed' }],
    ['NO_VIDEOS', { outcome: 'permanent', errorCode: 'kind_not_allowed' }],
    ['NO_TEXT', { outcome: 'permanent', errorCode: 'text_empty' }],
    ['TOO_LONG', { outcome: 'permanent', errorCode: 'text_too_long' }],
    ['BAD_URL', { outcome: 'permanent', errorCode: 'invalid_link' }],
    ['DOMAIN_BANNED', { outcome: 'permanent', errorCode: 'invalid_link' }],
    ['ALREADY_SUB', { outcome: 'permanent', errorCode: 'duplicate' }],
    ['IN_TIMEOUT', { outcome: 'permanent', errorCode: 'account_suspended' }],
    ['MISSING_VIDEO_URLS', { outcome: 'unprepared' }],
    ['SUBMIT_VALIDATION_FLAIR_REQUIRED', { outcome: 'permanent', errorCode: 'flair_required' }],
    ['USER_REQUIRED', { outcome: 'reauth' }],
  ])('refused with %s although the status is 200', async (code, expected) => {
    expect(await commitAnswered(refused(code))).toMatchObject(expected)
  })

  test("refused by a subreddit's own rules says so in Reddit's words", async () => {
    const message = 'Your title must end with a question mark.'
    const answer = refused('SUBMIT_VALIDATION_TITLE_REQUIREMENT', message)
    expect(await commitAnswered(answer)).toEqual({
      outcome: 'permanent',
      errorCode: 'platform_rejected',
      message: `Reddit refused the post: ${message}`,
    })
  })

  test.each<[Answer, number | null]>([
    [refused('RATELIMIT', 'try again in 9 minutes.', { ratelimit: 30.5 }), 30_500],
    [refused('RATELIMIT', 'Take a break for 9 minutes before trying again.'), 540_000],
    [refused('RATELIMIT', 'try again in 1 second.'), 1000],
    [refused('RATELIMIT', 'try again in 2 hours.'), 900_000],
    [refused('RATELIMIT', 'try again.', { ratelimit: 'soon' }), null],
    [{ status: 429, headers: { 'x-ratelimit-reset': '60' }, body: '' }, 60_000],
    [{ status: 429, body: '' }, null],
  ])('answered with %j is made again when Reddit says', async (answer, waitMs) => {
    const before = Date.now()
    const outcome = await commitAnswered(answer)
    if (outcome.outcome !== 'rate_limited') throw new Error(outcome.outcome)
    if (waitMs === null) return expect(outcome.retryAt).toBeNull()
    expect(outcome.retryAt).toBeGreaterThanOrEqual(before + waitMs)
    expect(outcome.retryAt).toBeLessThanOrEqual(Date.now() + waitMs)
  })

  test.each<[Answer, object]>([
    [{ status: 401, body: { message: 'Unauthorized', error: 401 } }, { outcome: 'reauth' }],
    [
      { status: 403, body: { message: 'Forbidden', error: 403, reason: 'private' } },
      { outcome: 'permanent', errorCode: 'missing_permission' },
    ],
    [
      { status: 404, body: '' },
      { outcome: 'permanent', errorCode: 'subreddit_not_found' },
    ],
    [
      { status: 400, body: '' },
      { outcome: 'permanent', errorCode: 'platform_rejected' },
    ],
    [
      { status: 413, body: '<html>' },
      { outcome: 'permanent', errorCode: 'too_large' },
    ],
    [{ status: 500, body: '' }, { outcome: 'unknown' }],
    [{ status: 503, body: '' }, { outcome: 'unknown' }],
    [{ status: 302, body: '' }, { outcome: 'unknown' }],
    [{ body: '<html>' }, { outcome: 'unknown' }],
    [{ body: '' }, { outcome: 'unknown' }],
    [{ body: { jquery: [] } }, { outcome: 'unknown' }],
    [{ body: { json: { errors: [], data: { url: 'javascript:1' } } } }, { outcome: 'unknown' }],
  ])('answered with %j', async (answer, expected) => {
    expect(await commitAnswered(answer)).toMatchObject(expected)
  })

  test.each(['http://127.0.0.1:1/nothing', 'ws://127.0.0.1:1/nothing', 'no address'])(
    'has an unknown outcome when nobody can be asked for it at %s',
    async (websocket_url) => {
      const answer = { body: { json: { errors: [], data: { websocket_url } } } }
      expect(await commitAnswered(answer)).toEqual({
        outcome: 'unknown',
        message: 'Reddit took the post and is still working on its file.',
        isWorking: true,
      })
    },
  )

  test('has certainly not happened when nobody listens', async () => {
    expect(await reddit.commit(anInput(await closedPort()))).toMatchObject({ outcome: 'transient' })
  })

  test('has an unknown outcome when the connection breaks', async () => {
    await using server = await scriptedServer((_, response) => void response.destroy())
    expect(await reddit.commit(anInput(server.url))).toMatchObject({ outcome: 'unknown' })
    expect(server.received).toHaveLength(1)
  })

  test('is not made without one of its files, or without the poster of a video', async () => {
    await using server = await scriptedServer(() => ({ body: {} }))
    const media = [aPublishFile('med_1', 'video')]
    const upload = { assetId: 'a1', url: 'https://storage.example/a1' }
    for (const step of [{}, { uploads: { med_1: upload } }])
      expect(await reddit.commit(anInput(server.url, { media, step }))).toMatchObject({
        outcome: 'permanent',
        errorCode: 'media_missing',
      })
    expect(server.received).toEqual([])
  })
})

describe('looking up a post on Reddit', () => {
  const now = Math.floor(Date.now() / 1000)
  const post = (more = {}) => ({
    kind: 't3',
    data: {
      subreddit: 'Boats',
      title: 'A boat',
      created_utc: now,
      permalink: '/r/Boats/comments/1abc/a_boat/',
      ...more,
    },
  })

  async function lookUp(answer: Answer) {
    await using server = await scriptedServer(() => answer)
    return await reddit.lookUp(anInput(server.url))
  }
  const listed = (...children: object[]) => lookUp({ body: { data: { children } } })

  test('finds it by its subreddit and title among those since the call', async () => {
    expect(
      await listed(post({ title: 'Another' }), post(), post({ created_utc: now - 60 })),
    ).toEqual({
      found: {
        platformPostId: 't3_1abc',
        url: 'https://www.reddit.com/r/Boats/comments/1abc/a_boat/',
        publishedAt: new Date(now * 1000).toISOString(),
      },
    })
  })

  test.each<[string, object[], object]>([
    ['nothing is there', [], { absent: true }],
    ['it is older than the call', [post({ created_utc: now - 60 })], { absent: true }],
    ['it is in another subreddit', [post({ subreddit: 'ships' })], { absent: true }],
    ['two fit', [post(), post()], { cannotTell: expect.any(String) }],
    [
      'the list does not reach back to the call',
      Array.from({ length: 25 }, () => post({ title: 'Another' })),
      { cannotTell: expect.any(String) },
    ],
  ])('says so when %s', async (_, children, expected) => {
    expect(await listed(...children)).toEqual(expected)
  })

  test.each<[Answer]>([[{ status: 500, body: '' }], [{ status: 401, body: '' }], [{ body: '<' }]])(
    'answered with %j is open',
    async (answer) => {
      expect(await lookUp(answer)).toHaveProperty('cannotTell')
    },
  )
})
