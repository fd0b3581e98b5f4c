import { describe, expect, test } from 'vitest'
import { youtubeConnector as youtube } from '../src/youtube/connector.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'
import { refusal } from './youtube-account.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const CHANNEL = {
  id: 'UC1',
  snippet: {
    title: 'Ada L.',
    customUrl: '@ada',
    thumbnails: { default: { url: 'https://files.example/ada.png' } },
  },
  status: { longUploadsStatus: 'allowed' },
}
const TOKEN = { access_token: 'access-2', expires_in: 3599, token_type: 'Bearer' }

async function aServer(answers: { channels?: Answer; token?: Answer; categories?: Answer }) {
  const server = await scriptedServer(({ path }) => {
    if (path === '/api/channels') return answers.channels ?? { body: { items: [CHANNEL] } }
    if (path === '/api/videoCategories') return answers.categories ?? { status: 500, body: '' }
    if (path === '/token') return answers.token ?? { body: TOKEN }
    return { status: 404, body: '' }
  })
  const settings = {
    authorizeUrl: 'https://accounts.example/auth?hd=x',
    tokenUrl: `${server.url}/token`,
    revokeUrl: `${server.url}/revoke`,
    apiUrl: `${server.url}/api`,
    clientId: 'app-1',
    clientSecret: 'secret-1',
  }
  return { ...server, settings, account: { baseUrl: '', account: 'UC1', limits: {}, settings } }
}

describe('connecting a YouTube channel', () => {
  test('tells whose token it is, and what is stored of it', async () => {
    await using server = await aServer({})
    const credentials = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresAt: '5' }
    const { settings } = server
    expect(await youtube.identify({ baseUrl: '', settings, credentials })).toEqual({
      account: 'UC1',
      username: 'ada',
      name: 'Ada L.',
      avatarUrl: 'https://files.example/ada.png',
      rules: {},
      limits: {},
      secrets: credentials,
      expiresAt: 5,
    })
    expect(server.received).toMatchObject([
      {
        query: { part: 'snippet,status', mine: 'true' },
        headers: { authorization: 'Bearer access-1' },
      },
    ])
  })

  test('knows that an account without verification has 15 minutes, and reads it again later', async () => {
    const channel = { ...CHANNEL, status: { longUploadsStatus: 'eligible' } }
    await using server = await aServer({ channels: { body: { items: [channel] } } })
    const { settings, account } = server
    const credentials = { accessToken: 'access-1' }
    const limits = { maxVideoSeconds: 900 }
    expect(await youtube.identify({ baseUrl: '', settings, credentials })).toMatchObject({ limits })
    expect(await youtube.readLimits?.({ ...account, token: 'x' })).toEqual({ rules: {}, limits })
  })

  test.each<[string, Answer, string]>([
    ['the account has no channel', { body: { kind: 'x' } }, 'refused'],
    ['the token is not accepted', refusal(401, 'authError'), 'refused'],
    ['the token may not read', refusal(403, 'insufficientPermissions'), 'refused'],
    ['the answer is no list', { body: '<html>' }, 'refused'],
    ['the quota is used up', refusal(403, 'quotaExceeded'), 'unavailable'],
    ['YouTube fails', { status: 503, body: '' }, 'unavailable'],
  ])('says when %s', async (_, channels, kind) => {
    await using server = await aServer({ channels })
    const { settings } = server
    const credentials = { accessToken: 'access-1' }
    await expect(youtube.identify({ baseUrl: '', settings, credentials })).rejects.toMatchObject({
      name: 'ConnectError',
      kind,
    })
  })

  test('a limit that cannot be read is no word about the credentials', async () => {
    await using server = await aServer({ channels: refusal(401, 'authError') })
    await expect(youtube.readLimits?.({ ...server.account, token: 'x' })).rejects.toMatchObject({
      kind: 'unavailable',
    })
  })
})

describe('granting access to a YouTube channel', () => {
  const grant = { baseUrl: '', redirectUri: 'https://herald.example/callback', now: NOW }

  test('begins at Google, with a refresh token asked for', async () => {
    await using server = await aServer({})
    const { settings } = server
    const begun = await youtube.oauth!.begin({ ...grant, settings, state: 's 1' })
    expect(begun.kept).toEqual({})
    const url = new URL(begun.url)
    expect(url.origin + url.pathname).toBe('https://accounts.example/auth')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      hd: 'x',
      client_id: 'app-1',
      response_type: 'code',
      redirect_uri: grant.redirectUri,
      state: 's 1',
      access_type: 'offline',
      prompt: 'consent',
      scope: expect.stringMatching(/youtube\.upload .*youtube\.readonly/),
    })
  })

  test('ends with the channel that was chosen', async () => {
    await using server = await aServer({
      token: { body: { ...TOKEN, refresh_token: 'refresh-2' } },
    })
    const { settings } = server
    const finished = youtube.oauth!.finish({ ...grant, settings, kept: {}, query: { code: 'c' } })
    expect(await finished).toMatchObject([
      {
        account: 'UC1',
        secrets: {
          accessToken: 'access-2',
          refreshToken: 'refresh-2',
          expiresAt: String(NOW + 3_599_000),
        },
        expiresAt: NOW + 3_599_000,
      },
    ])
    expect(Object.fromEntries(new URLSearchParams(server.received[0]!.body))).toEqual({
      client_id: 'app-1',
      client_secret: 'secret-1',
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: grant.redirectUri,
    })
  })

  test('is refused when the person denies it, and when there is no app', async () => {
    await using server = await aServer({})
    const { settings } = server
    const query = { error: 'access_denied' }
    await expect(
      youtube.oauth!.finish({ ...grant, settings, kept: {}, query }),
    ).rejects.toMatchObject({ kind: 'refused' })
    await expect(youtube.oauth!.begin({ ...grant, settings: {}, state: 's' })).rejects.toThrow(
      'YOUTUBE_CLIENT_ID',
    )
    expect(server.received).toEqual([])
  })

  test.each([
    [{ body: {} }, undefined],
    [{ status: 400, body: { error: 'invalid_token' } }, undefined],
    [{ status: 400, body: { error: 'invalid_request' } }, 'unavailable'],
    [{ status: 503, body: '' }, 'unavailable'],
  ])('is ended, answered with %j', async (answer, kind) => {
    await using server = await scriptedServer(() => answer)
    const settings = { revokeUrl: `${server.url}/revoke` }
    const secrets = { accessToken: 'access-1', refreshToken: 'refresh-1' }
    const ended = youtube.oauth!.revoke!({ baseUrl: '', settings, secrets })
    if (kind) await expect(ended).rejects.toMatchObject({ kind })
    else await ended
    expect(server.received[0]!.body).toBe('token=refresh-1')
  })
})

describe('a YouTube token', () => {
  const secrets = {
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    expiresAt: String(NOW + 600_000),
  }
  const input = { baseUrl: '', secrets, now: NOW }

  test('is used while it lasts', async () => {
    await using server = await aServer({})
    const { settings } = server
    expect(await youtube.freshToken({ ...input, settings })).toEqual({
      token: 'access-1',
      expiresAt: NOW + 600_000,
    })
    expect(server.received).toEqual([])
  })

  test.each([
    ['it is dead', { deadToken: 'access-1' }],
    ['it expires within the time that is asked for', { aheadMs: 600_000 }],
    ['it has expired', { now: NOW + 600_000 }],
  ])('is renewed when %s, and the refresh token stays', async (_, more) => {
    await using server = await aServer({})
    const { settings } = server
    const fresh = await youtube.freshToken({ ...input, settings, ...more })
    expect(fresh).toMatchObject({
      token: 'access-2',
      secrets: { accessToken: 'access-2', refreshToken: 'refresh-1' },
    })
    expect(new URLSearchParams(server.received[0]!.body).get('refresh_token')).toBe('refresh-1')
  })

  test.each<[Answer, string]>([
    [{ status: 400, body: { error: 'invalid_grant' } }, 'refused'],
    [{ status: 401, body: { error: 'invalid_client' } }, 'unavailable'],
    [{ status: 500, body: { error: 'invalid_grant' } }, 'unavailable'],
    [{ status: 200, body: '<html>' }, 'unavailable'],
  ])('is lost for good by a dead grant alone: %j', async (token, kind) => {
    await using server = await aServer({ token })
    const { settings } = server
    const renewed = youtube.freshToken({ ...input, settings, deadToken: 'access-1' })
    await expect(renewed).rejects.toMatchObject({ name: 'ConnectError', kind })
  })

  test('is kept when nobody listens', async () => {
    const settings = { tokenUrl: await closedPort(), clientId: 'a', clientSecret: 'b' }
    const renewed = youtube.freshToken({ ...input, settings, deadToken: 'access-1' })
    await expect(renewed).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

describe('the categories of YouTube', () => {
  const item = (id: string, assignable: boolean) => ({
    id,
    snippet: { title: `C${id}`, assignable },
  })

  test('are those that a video can have', async () => {
    const categories = { body: { items: [item('1', true), item('2', false)] } }
    await using server = await aServer({ categories })
    expect(await youtube.choices?.({ ...server.account, token: 'x', query: {} })).toEqual([
      { field: 'youtube.categoryId', choices: [{ value: '1', label: 'C1' }] },
    ])
    expect(server.received[0]!.query).toMatchObject({ regionCode: 'US' })
  })

  test.each<Answer>([{ status: 403, body: '' }, { body: 'x' }, { status: 500, body: '' }])(
    'are unavailable when they are answered with %j',
    async (categories) => {
      await using server = await aServer({ categories })
      const asked = youtube.choices?.({ ...server.account, token: 'x', query: {} })
      await expect(asked).rejects.toMatchObject({ kind: 'unavailable' })
    },
  )
})
