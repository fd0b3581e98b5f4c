import { describe, expect, test } from 'vitest'
import { tiktokConnector as tiktok } from '../src/tiktok/connector.ts'
import { type Answer, scriptedServer } from './scripted-server.ts'
import { aServer, CREATOR, ok, refusal } from './tiktok-account.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const TOKEN = {
  access_token: 'access-2',
  expires_in: 86_400,
  open_id: 'open-1',
  refresh_token: 'refresh-2',
  refresh_expires_in: 31_536_000,
  scope: 'user.info.basic,video.publish,video.list',
  token_type: 'Bearer',
}
const LIMITS = { privacyLevels: CREATOR.privacy_level_options, maxVideoSeconds: 300 }

describe('connecting a TikTok account', () => {
  test('tells whose token it is, and what the creator may do', async () => {
    await using server = await aServer({})
    const { settings } = server
    const credentials = { accessToken: 'access-1', refreshToken: 'refresh-1', expiresAt: '5' }
    expect(await tiktok.identify({ baseUrl: '', settings, credentials })).toEqual({
      account: 'open-1',
      username: 'ada',
      name: 'Ada L.',
      avatarUrl: 'https://files.example/ada.jpeg',
      rules: {},
      limits: LIMITS,
      secrets: credentials,
      expiresAt: 5,
    })
    expect(server.received[0]).toMatchObject({
      method: 'GET',
      path: '/v2/user/info/',
      query: { fields: 'open_id' },
      headers: { authorization: 'Bearer access-1' },
    })
  })

  test.each<[Answer, Answer, string]>([
    [refusal(401, 'access_token_invalid'), ok(CREATOR), 'refused'],
    [refusal(200, 'access_token_invalid'), ok(CREATOR), 'refused'],
    [ok({ user: { open_id: 'x' } }), refusal(401, 'scope_not_authorized'), 'refused'],
    [ok({ user: { open_id: 'x' } }), refusal(403, 'spam_risk_too_many_posts'), 'unavailable'],
    [ok({ user: { open_id: 'x' } }), refusal(200, 'internal_error'), 'unavailable'],
    [ok({}), ok(CREATOR), 'refused'],
    [{ status: 500, body: '' }, ok(CREATOR), 'unavailable'],
  ])('is not done when the answers are %j and %j', async (user, creator, kind) => {
    await using server = await aServer({ user, creator })
    const { settings } = server
    const credentials = { accessToken: 'access-1' }
    await expect(tiktok.identify({ baseUrl: '', settings, credentials })).rejects.toMatchObject({
      name: 'ConnectError',
      kind,
    })
  })

  test('offers the privacy levels that the creator may choose, and reads the limits again', async () => {
    const creator = ok({ ...CREATOR, privacy_level_options: ['SELF_ONLY', 'BRAND_NEW'] })
    await using server = await aServer({ creator })
    expect(await tiktok.choices!({ ...server.account, query: {} })).toEqual([
      { field: 'tiktok.privacyLevel', choices: [{ value: 'SELF_ONLY', label: 'Only you' }] },
    ])
    expect(await tiktok.readLimits!(server.account)).toEqual({
      rules: {},
      limits: { ...LIMITS, privacyLevels: ['SELF_ONLY', 'BRAND_NEW'] },
    })
  })

  test('a limit that cannot be read is no word about the credentials', async () => {
    await using server = await aServer({ creator: refusal(401, 'access_token_invalid') })
    await expect(tiktok.readLimits!(server.account)).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

describe('granting access to a TikTok account', () => {
  const grant = { baseUrl: '', redirectUri: 'https://herald.example/callback', now: NOW }

  test('begins at TikTok, with a slash and commas', async () => {
    await using server = await aServer({})
    const { settings } = server
    const { url } = await tiktok.oauth!.begin({ ...grant, settings, state: 's 1' })
    expect(url).toMatch(/^https:\/\/www\.tiktok\.example\/v2\/auth\/authorize\/\?/)
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_key: 'app-1',
      response_type: 'code',
      scope: 'user.info.basic,video.publish,video.list',
      redirect_uri: grant.redirectUri,
      state: 's 1',
    })
  })

  test('ends with the account that was chosen', async () => {
    await using server = await aServer({ token: { body: TOKEN } })
    const { settings } = server
    const query = { code: 'c' }
    expect(await tiktok.oauth!.finish({ ...grant, settings, kept: {}, query })).toMatchObject([
      {
        account: 'open-1',
        secrets: {
          accessToken: 'access-2',
          refreshToken: 'refresh-2',
          expiresAt: String(NOW + 86_400_000),
        },
      },
    ])
    expect(server.received[0]!.path).toBe('/v2/oauth/token/')
    expect(Object.fromEntries(new URLSearchParams(server.received[0]!.body))).toEqual({
      client_key: 'app-1',
      client_secret: 'secret-1',
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: grant.redirectUri,
    })
  })

  test('is refused when the person denies it, and when there is no app', async () => {
    await using server = await aServer({})
    const query = { error: 'access_denied' }
    const denied = tiktok.oauth!.finish({ ...grant, settings: server.settings, kept: {}, query })
    await expect(denied).rejects.toMatchObject({ kind: 'refused' })
    const begun = tiktok.oauth!.begin({ ...grant, settings: {}, state: 's' })
    await expect(begun).rejects.toThrow('TIKTOK_CLIENT_ID')
  })

  test.each<[Answer, string | undefined]>([
    [{ body: '' }, undefined],
    [{ status: 400, body: { error: 'invalid_grant' } }, undefined],
    [{ status: 200, body: { error: 'invalid_request' } }, 'unavailable'],
    [{ status: 503, body: '' }, 'unavailable'],
  ])('is ended, answered with %j', async (answer, kind) => {
    await using server = await scriptedServer(() => answer)
    const settings = { revokeUrl: `${server.url}/revoke`, clientId: 'a', clientSecret: 'b' }
    const secrets = { accessToken: 'access-1', refreshToken: 'refresh-1' }
    const ended = tiktok.oauth!.revoke!({ baseUrl: '', settings, secrets })
    if (kind) await expect(ended).rejects.toMatchObject({ kind })
    else await ended
    expect(server.received[0]!.path).toBe('/revoke/')
    expect(new URLSearchParams(server.received[0]!.body).get('token')).toBe('access-1')
  })
})

describe('a TikTok token', () => {
  const secrets = {
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    expiresAt: String(NOW + 600_000),
  }
  const input = { baseUrl: '', secrets, now: NOW }

  test('is used while it lasts', async () => {
    await using server = await aServer({})
    const { settings } = server
    const fresh = await tiktok.freshToken({ ...input, settings })
    expect(fresh).toEqual({ token: 'access-1', expiresAt: NOW + 600_000 })
    expect(server.received).toEqual([])
  })

  test.each([
    ['it is dead', { deadToken: 'access-1' }],
    ['it expires within the time that is asked for', { aheadMs: 600_000 }],
  ])('is renewed when %s, and the new refresh token replaces the old', async (_, more) => {
    await using server = await aServer({ token: { body: TOKEN } })
    const { settings } = server
    expect(await tiktok.freshToken({ ...input, settings, ...more })).toMatchObject({
      token: 'access-2',
      secrets: { accessToken: 'access-2', refreshToken: 'refresh-2' },
    })
    expect(new URLSearchParams(server.received[0]!.body).get('refresh_token')).toBe('refresh-1')
  })

  test.each<[Answer, string]>([
    [{ status: 400, body: { error: 'invalid_grant' } }, 'refused'],
    [{ status: 200, body: { error: 'invalid_grant' } }, 'refused'],
    [{ status: 401, body: { error: 'invalid_client' } }, 'unavailable'],
    [{ status: 500, body: { error: 'invalid_grant' } }, 'unavailable'],
    [{ status: 200, body: '<html>' }, 'unavailable'],
  ])('is lost for good by a dead grant alone: %j', async (token, kind) => {
    await using server = await aServer({ token })
    const { settings } = server
    const renewed = tiktok.freshToken({ ...input, settings, deadToken: 'access-1' })
    await expect(renewed).rejects.toMatchObject({ name: 'ConnectError', kind })
  })
})
