import { describe, expect, test } from 'vitest'
import { codesOf, graphUser } from './graph-user.ts'
import { hostedFiles } from './hosted-files.ts'
import { gif, jpeg, mp4, png } from './media-bytes.ts'
import { testSandbox, type TestSandbox } from './sandbox.ts'

const user = (sandbox: TestSandbox) => graphUser(sandbox, 'THREADS', '/threads')
const TEXT = { media_type: 'TEXT', text: 'Hello' }
const DAY = 86_400

describe('a container is refused', () => {
  test.each<[string, Record<string, string>, string]>([
    ['without a type', { text: 'x' }, 'media_type'],
    ['of another type', { media_type: 'GIF' }, 'media_type'],
    ['for a blank text', { media_type: 'TEXT', text: ' ' }, 'text'],
    ['for 501 characters', { ...TEXT, text: 'x'.repeat(501) }, 'at most 500'],
    ['for 126 emojis', { ...TEXT, text: '🎉'.repeat(126) }, 'at most 500'],
    ['for a picture without an address', { media_type: 'IMAGE' }, 'image_url'],
    ['for an address that is none', { media_type: 'VIDEO', video_url: 'boat.mp4' }, 'video_url'],
    ['for a carousel of one', { media_type: 'CAROUSEL', children: '1' }, 'children'],
    ['for unknown children', { media_type: 'CAROUSEL', children: '1,2' }, 'children'],
    ['for a wrong topic', { ...TEXT, topic_tag: 'a.b' }, 'topic_tag'],
    ['for a wrong reply control', { ...TEXT, reply_control: 'nobody' }, 'reply_control'],
    ['for a link that is none', { ...TEXT, link_attachment: 'boat' }, 'link_attachment'],
  ])('%s', async (_, body, says) => {
    await using sandbox = await testSandbox()
    const { ask } = await user(sandbox)
    const answer = await ask('POST', '/v1.0/me/threads', body)
    expect(codesOf(answer)).toEqual([400, 100, undefined])
    expect(answer.body.error).toMatchObject({
      message: expect.stringContaining(says),
      type: 'OAuthException',
      fbtrace_id: expect.any(String),
    })
  })

  test.each<[string, Buffer | undefined, number[]]>([
    ['whose picture is not there', undefined, [400, 9004, 2207052]],
    ['whose picture is a GIF', gif(40, 30), [400, 36001, 2207005]],
    ['whose picture is 11 times as wide as high', png(440, 40), [400, 36003, 2207009]],
    ['whose picture has more than 8 MB', jpeg(40, 30, 8_000_001), [400, 36000, 2207004]],
  ])('%s', async (_, bytes, codes) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { ask } = await user(sandbox)
    const url = files.host('a', bytes ?? png(), 'image/jpeg')
    if (!bytes) files.remove('a')
    const body = { media_type: 'IMAGE', image_url: url }
    expect(codesOf(await ask('POST', '/v1.0/me/threads', body))).toEqual(codes)
  })
})

describe('a container', () => {
  test('of a video is worked on, finished, published once, and told as such', async () => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { account, ask } = await user(sandbox)
    const url = files.host('a', mp4(), 'video/mp4')
    const body = { media_type: 'VIDEO', video_url: url, text: 'A boat', alt_text: 'Waves' }
    const { id } = (await ask('POST', `/v1.0/${account}/threads`, body)).body
    const state = async () => (await ask('GET', `/v1.0/${id}?fields=status`)).body.status
    const publish = () => ask('POST', `/v1.0/${account}/threads_publish?creation_id=${id}`)
    expect(await state()).toBe('IN_PROGRESS')
    expect(codesOf(await publish())).toEqual([400, 24, 4279009])
    await sandbox.advance(2)
    expect(await state()).toBe('FINISHED')
    const post = await publish()
    expect(post.body).toEqual({ id: expect.stringMatching(/^\d{17}$/) })
    expect(await state()).toBe('PUBLISHED')
    expect(codesOf(await publish())).toEqual([400, 24, 4279009])
    expect(await sandbox.requests()).toMatchObject([
      { key: id, applied: false },
      { key: id, applied: true, postId: post.body.id },
      { key: id, applied: false },
    ])
    const fields = 'id,media_type,permalink,text,timestamp,shortcode,username,alt_text'
    expect((await ask('GET', `/v1.0/me/threads?fields=${fields}`)).body.data).toEqual([
      {
        id: post.body.id,
        media_type: 'VIDEO',
        permalink: expect.stringContaining('/@ada/post/'),
        text: 'A boat',
        timestamp: '2026-11-21T12:00:02+0000',
        shortcode: expect.any(String),
        username: 'ada',
        alt_text: 'Waves',
      },
    ])
  })

  test.each<[string, string | undefined, string]>([
    ['whose video is not there', undefined, 'FAILED_DOWNLOADING_VIDEO'],
    ['whose video is none', 'text', 'FAILED_PROCESSING_VIDEO'],
  ])('%s fails when it is processed', async (_, bytes, message) => {
    await using sandbox = await testSandbox()
    await using files = await hostedFiles()
    const { ask } = await user(sandbox)
    const url = files.host('a', Buffer.from(bytes ?? ''), 'video/mp4')
    if (bytes === undefined) files.remove('a')
    const { body } = await ask('POST', '/v1.0/me/threads', { media_type: 'VIDEO', video_url: url })
    await sandbox.advance(2)
    const fields = 'status,error_message'
    expect((await ask('GET', `/v1.0/${body.id}?fields=${fields}`)).body).toEqual({
      id: body.id,
      status: 'ERROR',
      error_message: message,
    })
  })

  test('expires after a day', async () => {
    await using sandbox = await testSandbox()
    const { ask } = await user(sandbox)
    const { id } = (await ask('POST', '/v1.0/me/threads', TEXT)).body
    await sandbox.advance(DAY)
    expect((await ask('GET', `/v1.0/${id}`)).body).toEqual({ id, status: 'EXPIRED' })
    expect(codesOf(await ask('POST', '/v1.0/me/threads_publish', { creation_id: id }))).toEqual([
      400, 24, 4279009,
    ])
  })

  test('of somebody else can be neither seen, nor used, nor published', async () => {
    await using sandbox = await testSandbox()
    const { account, ask } = await user(sandbox)
    const { id } = (await ask('POST', '/v1.0/me/threads', TEXT)).body
    const token = (await sandbox.account('THREADS', 'eve')).credentials['accessToken'] ?? ''
    const other = (method: string, path: string, body?: unknown) =>
      sandbox.ask(method, `/threads/v1.0${path}`, { token, body })
    expect(codesOf(await other('GET', `/${id}`))).toEqual([400, 100, 33])
    expect(codesOf(await other('POST', `/${account}/threads`, TEXT))).toEqual([400, 100, 33])
    const published = await other('POST', '/me/threads_publish', { creation_id: id })
    expect(codesOf(published)).toEqual([400, 24, 4279009])
    expect(await sandbox.live()).toEqual([])
  })
})

describe('a token of Threads', () => {
  const app = { client_id: 'sandbox-app', client_secret: 'sandbox-secret' }

  test('is good in a header, in the query and in a form', async () => {
    await using sandbox = await testSandbox()
    const { account, token } = await user(sandbox)
    const byQuery = await sandbox.ask('GET', `/threads/v1.0/me?access_token=${token}`)
    expect(byQuery.body).toEqual({ id: account })
    const byForm = await sandbox.ask('POST', '/threads/v1.0/me/threads', {
      body: Buffer.from(`media_type=TEXT&text=a&access_token=${token}`),
    })
    expect(byForm.status).toBe(200)
    expect(codesOf(await sandbox.ask('GET', '/threads/v1.0/me'))).toEqual([401, 190, undefined])
  })

  test('is renewed from its second day on, and not when it has expired', async () => {
    await using sandbox = await testSandbox()
    const { token } = await user(sandbox)
    const renew = () =>
      sandbox.ask(
        'GET',
        `/threads/refresh_access_token?grant_type=th_refresh_token&access_token=${token}`,
      )
    expect(codesOf(await renew())).toEqual([400, 100, undefined])
    await sandbox.advance(DAY)
    expect((await renew()).body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 60 * DAY,
    })
    await sandbox.advance(60 * DAY)
    expect(codesOf(await renew())).toEqual([401, 190, 463])
  })

  test.each<[string, Record<string, string>]>([
    ['another app', { client_id: 'other' }],
    ['another secret', { client_secret: 'other' }],
    ['another grant', { grant_type: 'password' }],
    ['a code that is none', {}],
  ])('is not given to %s', async (_, fields) => {
    await using sandbox = await testSandbox()
    const form = { ...app, grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://a' }
    const answer = await sandbox.ask('POST', '/threads/oauth/access_token', {
      body: { ...form, ...fields },
    })
    expect(answer.status).toBe(400)
  })
})

test('the budget of an account is told with every answer, and the platform says when it is used up', async () => {
  await using sandbox = await testSandbox()
  const { account, ask } = await user(sandbox)
  const { headers } = await ask('GET', '/v1.0/me')
  expect(JSON.parse(headers.get('x-business-use-case-usage') ?? '')).toEqual({
    [account]: [expect.objectContaining({ call_count: 1, estimated_time_to_regain_access: 0 })],
  })
  await sandbox.fault({ platform: 'THREADS', kind: 'rate_limit', times: 1, on: 'read' })
  expect(codesOf(await ask('GET', '/v1.0/me'))).toEqual([403, 4, undefined])
})
