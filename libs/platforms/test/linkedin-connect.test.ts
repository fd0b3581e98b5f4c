import { describe, expect, test } from 'vitest'
import { linkedinConnector as linkedin } from '../src/linkedin/connector.ts'
import { type Answer, scriptedServer } from './scripted-server.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const ME: Answer = { body: { sub: 'abc', name: 'Ada', picture: 'https://a/b.png' } }
const role = (id: number, name: string, more = {}) => ({
  role: 'ADMINISTRATOR',
  organizationalTarget: `urn:li:organization:${id}`,
  'organizationalTarget~': {
    localizedName: name,
    vanityName: name.toLowerCase(),
    logoV2: {
      'original~': { elements: [{ identifiers: [{ identifier: 'https://a/logo.png' }] }] },
    },
  },
  ...more,
})
const ROLES: Answer = {
  body: {
    elements: [
      role(1, 'Harbour'),
      role(2, 'Other', { role: 'ANALYST' }),
      role(1, 'Harbour', { role: 'CONTENT_ADMIN' }),
    ],
  },
}
const TOKEN: Answer = {
  body: {
    access_token: 'access-2',
    expires_in: 5_184_000,
    scope: 'openid,profile,w_member_social,rw_organization_admin',
  },
}

type Answers = { me?: Answer; roles?: Answer; token?: Answer }

async function onLinkedin<T>(
  answers: Answers,
  work: (settings: Record<string, string>) => Promise<T>,
) {
  await using server = await scriptedServer(({ path }) => {
    if (path === '/token') return answers.token ?? TOKEN
    return path === '/v2/userinfo' ? (answers.me ?? ME) : (answers.roles ?? ROLES)
  })
  const settings = {
    apiUrl: server.url,
    tokenUrl: `${server.url}/token`,
    clientId: 'app',
    clientSecret: 'secret',
  }
  const result = await work(settings).catch((error: unknown) => error)
  return { result, received: server.received }
}

const refused = expect.objectContaining({ name: 'ConnectError', kind: 'refused' })
const unavailable = expect.objectContaining({ name: 'ConnectError', kind: 'unavailable' })
const member = {
  account: 'urn:li:person:abc',
  username: 'Ada',
  name: 'Ada',
  avatarUrl: 'https://a/b.png',
  rules: {},
  limits: { kind: 'person' },
}
const page = {
  account: 'urn:li:organization:1',
  username: 'harbour',
  name: 'Harbour',
  avatarUrl: 'https://a/logo.png',
  rules: {},
  limits: { kind: 'organization' },
}

describe('an account of LinkedIn', () => {
  const identify = (credentials: Record<string, string>, answers: Answers = {}) =>
    onLinkedin(answers, (settings) => linkedin.identify({ baseUrl: '', settings, credentials }))
  const accessToken = 'access-1'

  test.each([
    ['the member by the token alone', {}, member],
    ['the member by name', { account: member.account }, member],
    ['a page by name', { account: page.account }, page],
  ])('is %s', async (_, more, expected) => {
    const credentials = { accessToken, refreshToken: 'refresh-1', expiresAt: String(NOW), ...more }
    const { result } = await identify(credentials)
    const secrets = { ...credentials, account: expected.account }
    expect(result).toEqual({ ...expected, secrets, expiresAt: NOW })
  })

  test.each<[string, Record<string, string>, Answers, unknown]>([
    ['LinkedIn refuses the token', { accessToken }, { me: { status: 401, body: {} } }, refused],
    [
      'LinkedIn refuses the token of a page',
      { accessToken, account: page.account },
      { roles: { status: 401, body: {} } },
      refused,
    ],
    ['it is another member', { accessToken, account: 'urn:li:person:other' }, {}, refused],
    [
      'the member may only look at the page',
      { accessToken, account: 'urn:li:organization:2' },
      {},
      refused,
    ],
    ['something else is named', { accessToken, account: 'ada' }, {}, refused],
    ['LinkedIn is overloaded', { accessToken }, { me: { status: 429, body: {} } }, unavailable],
    [
      'LinkedIn fails',
      { accessToken, account: page.account },
      { roles: { status: 500, body: '' } },
      unavailable,
    ],
  ])('is not connected when %s', async (_, credentials, answers, error) => {
    expect((await identify(credentials, answers)).result).toEqual(error)
  })
})

describe('granting access to LinkedIn', () => {
  const grant = { baseUrl: '', redirectUri: 'https://herald.example/callback', now: NOW, kept: {} }
  const finish = (answers: Answers, query: Record<string, string> = { code: 'code-1' }) =>
    onLinkedin(answers, (settings) => linkedin.oauth!.finish({ ...grant, settings, query }))

  test('begins at LinkedIn with the scopes that are set', async () => {
    const settings = { clientId: 'app', scopes: 'openid profile w_member_social' }
    const { url } = await linkedin.oauth!.begin({ ...grant, settings, state: 'state-1' })
    expect(url.startsWith('https://www.linkedin.com/oauth/v2/authorization?')).toBe(true)
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: grant.redirectUri,
      state: 'state-1',
      scope: settings.scopes,
    })
  })

  test('ends with the member and the pages that the member may post to', async () => {
    const { result, received } = await finish({})
    const secrets = { accessToken: 'access-2', expiresAt: String(NOW + 5_184_000_000) }
    expect(result).toEqual(
      [member, page].map((one) => ({
        ...one,
        secrets: { ...secrets, account: one.account },
        expiresAt: NOW + 5_184_000_000,
      })),
    )
    expect(Object.fromEntries(new URLSearchParams(received[0]!.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: grant.redirectUri,
      client_id: 'app',
      client_secret: 'secret',
    })
  })

  test('ends with the member alone when the app may not manage pages', async () => {
    const token = { body: { access_token: 'access-2', scope: 'openid,profile,w_member_social' } }
    expect((await finish({ token })).result).toMatchObject([
      { account: member.account, expiresAt: null },
    ])
  })

  test.each<[string, Answers, Record<string, string> | undefined, unknown]>([
    ['the person denies it', {}, { error: 'user_cancelled_authorize' }, refused],
    [
      'nothing can be posted to',
      { token: { body: { access_token: 'a', scope: 'openid,profile' } } },
      undefined,
      refused,
    ],
    [
      'the code is dead',
      { token: { status: 400, body: { error: 'invalid_grant' } } },
      undefined,
      refused,
    ],
    ['LinkedIn fails', { token: { status: 500, body: '' } }, undefined, unavailable],
  ])('is over when %s', async (_, answers, query, error) => {
    expect((await finish(answers, query)).result).toEqual(error)
  })
})

describe('a token of LinkedIn', () => {
  const secrets = {
    accessToken: 'access-1',
    expiresAt: String(NOW + 3_600_000),
    account: page.account,
  }
  const fresh = (more: Record<string, string>, input: object, answers: Answers = {}) =>
    onLinkedin(answers, (settings) =>
      linkedin.freshToken({
        baseUrl: '',
        settings,
        now: NOW,
        secrets: { ...secrets, ...more },
        ...input,
      }),
    )

  test('is used as long as it lasts', async () => {
    const { result, received } = await fresh({}, {})
    expect([result, received]).toEqual([{ token: 'access-1', expiresAt: NOW + 3_600_000 }, []])
  })

  test('is renewed with the refresh token, which stays, where LinkedIn gave one', async () => {
    const { result } = await fresh({ refreshToken: 'refresh-1' }, { deadToken: 'access-1' })
    expect(result).toEqual({
      token: 'access-2',
      expiresAt: NOW + 5_184_000_000,
      secrets: {
        accessToken: 'access-2',
        refreshToken: 'refresh-1',
        expiresAt: String(NOW + 5_184_000_000),
        account: page.account,
      },
    })
  })

  test.each<[string, object, Answers, unknown]>([
    [
      'used to its end when it cannot be renewed',
      { aheadMs: 7_200_000 },
      {},
      { token: 'access-1', expiresAt: NOW + 3_600_000 },
    ],
    ['dead at its end', { now: NOW + 3_600_000 }, {}, refused],
    [
      'dead when LinkedIn refuses it twice',
      { deadToken: 'access-1' },
      { me: { status: 401, body: {} } },
      refused,
    ],
    [
      'left open when LinkedIn fails',
      { deadToken: 'access-1' },
      { me: { status: 503, body: '' } },
      unavailable,
    ],
  ])('is %s', async (_, input, answers, expected) => {
    expect((await fresh({}, input, answers)).result).toEqual(expected)
  })

  test.each<[Answer, unknown]>([
    [{ status: 400, body: { error: 'invalid_grant' } }, refused],
    [{ status: 400, body: { error: 'invalid_request' } }, unavailable],
    [{ status: 500, body: '' }, unavailable],
  ])('is not renewed when LinkedIn answers %j', async (token, error) => {
    const { result } = await fresh(
      { refreshToken: 'refresh-1' },
      { deadToken: 'access-1' },
      { token },
    )
    expect(result).toEqual(error)
  })
})
