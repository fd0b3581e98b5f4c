import { describe, expect, test } from 'vitest'
import { ConnectError } from '../src/platform.ts'
import { xConnector as x } from '../src/x/connector.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const ME: Answer = {
  body: {
    data: {
      id: '12',
      username: 'ada',
      name: 'Ada',
      profile_image_url: 'https://a/b.png',
      subscription_type: 'None',
    },
  },
}
const TOKEN: Answer = {
  body: {
    token_type: 'bearer',
    expires_in: 7200,
    access_token: 'access-2',
    refresh_token: 'refresh-2',
  },
}
const DEAD: Answer = {
  status: 400,
  body: { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
}

async function onX<T>(
  answers: { me?: Answer; token?: Answer },
  work: (settings: Record<string, string>) => Promise<T>,
) {
  await using server = await scriptedServer(({ path }) =>
    path.includes('oauth2') ? (answers.token ?? TOKEN) : (answers.me ?? ME),
  )
  const settings = {
    apiUrl: server.url,
    tokenUrl: `${server.url}/2/oauth2/token`,
    revokeUrl: `${server.url}/2/oauth2/revoke`,
    clientId: 'app',
    clientSecret: 'se cret',
  }
  const result = await work(settings).catch((error: unknown) => error)
  return { result, received: server.received }
}

const refused = expect.objectContaining({ name: 'ConnectError', kind: 'refused' })
const unavailable = expect.objectContaining({ name: 'ConnectError', kind: 'unavailable' })

describe('an account of X', () => {
  const identify = (
    me: Answer,
    credentials: Record<string, string> = { accessToken: 'access-1' },
  ) => onX({ me }, (settings) => x.identify({ baseUrl: '', settings, credentials }))

  test('is told by its token', async () => {
    const credentials = {
      accessToken: 'access-1',
      refreshToken: 'refresh-1',
      expiresAt: String(NOW),
    }
    const { result, received } = await identify(ME, credentials)
    expect(result).toEqual({
      account: '12',
      username: 'ada',
      name: 'Ada',
      avatarUrl: 'https://a/b.png',
      rules: {},
      secrets: credentials,
      expiresAt: NOW,
    })
    expect(received[0]!.headers.authorization).toBe('Bearer access-1')
  })

  test.each(['Premium', 'PremiumPlus'])('with %s may write longer texts', async (subscription) => {
    const me = { body: { data: { id: '12', username: 'ada', subscription_type: subscription } } }
    expect((await identify(me)).result).toMatchObject({ name: 'ada', rules: { maxChars: 4000 } })
  })

  test.each<[string, Answer, Record<string, string> | undefined, unknown]>([
    ['X refuses the token', { status: 401, body: '' }, undefined, refused],
    ['the token may not read it', { status: 403, body: { detail: 'Scope' } }, undefined, refused],
    ['X answers nonsense', { body: '<html>' }, undefined, refused],
    ['X is overloaded', { status: 429, body: '' }, undefined, unavailable],
    ['X fails', { status: 503, body: '' }, undefined, unavailable],
    ['there is no token', ME, {}, refused],
    ['something else is given', ME, { accessToken: 'a', password: 'b' }, refused],
  ])('is not connected when %s', async (_, me, credentials, error) => {
    expect((await identify(me, credentials)).result).toEqual(error)
  })
})

describe('a token of X', () => {
  const secrets = {
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    expiresAt: String(NOW + 3_600_000),
  }
  const renewed = {
    token: 'access-2',
    expiresAt: NOW + 7_200_000,
    secrets: {
      accessToken: 'access-2',
      refreshToken: 'refresh-2',
      expiresAt: String(NOW + 7_200_000),
    },
  }
  const fresh = (
    more: { secrets?: Record<string, string>; deadToken?: string; aheadMs?: number },
    answers = {},
  ) =>
    onX(answers, (settings) => x.freshToken({ baseUrl: '', settings, now: NOW, secrets, ...more }))

  test('is used as long as it lasts', async () => {
    const { result, received } = await fresh({})
    expect(result).toEqual({ token: 'access-1', expiresAt: NOW + 3_600_000 })
    expect(received).toEqual([])
  })

  test.each([
    ['it is about to expire', { secrets: { ...secrets, expiresAt: String(NOW + 59_000) } }],
    ['it expires within the time that is asked for', { aheadMs: 3_600_000 }],
    ['X has refused it', { deadToken: 'access-1' }],
  ])('is renewed when %s, and the next refresh token is kept', async (_, more) => {
    const { result, received } = await fresh(more)
    expect(result).toEqual(renewed)
    expect(received).toHaveLength(1)
    expect(received[0]!.headers.authorization).toBe(
      `Basic ${Buffer.from('app:se%20cret').toString('base64')}`,
    )
    expect(received[0]!.body).toBe('grant_type=refresh_token&refresh_token=refresh-1')
  })

  test.each<[string, Answer, unknown]>([
    ['X knows the refresh token no more', DEAD, refused],
    ['X says so in the usual way', { status: 400, body: { error: 'invalid_grant' } }, refused],
    [
      'the app is not accepted',
      { status: 401, body: { error: 'unauthorized_client' } },
      unavailable,
    ],
    [
      'the request is not understood',
      { status: 400, body: { error: 'invalid_request' } },
      unavailable,
    ],
    ['X fails', { status: 503, body: '' }, unavailable],
    ['X answers nonsense', { status: 200, body: '<html>' }, unavailable],
  ])('cannot be renewed when %s', async (_, token, error) => {
    expect((await fresh({ deadToken: 'access-1' }, { token })).result).toEqual(error)
  })

  test.each<[string, Answer, unknown]>([
    ['dead when X refuses it again', { status: 401, body: '' }, refused],
    ['alive when X takes it', ME, { token: 'access-1', expiresAt: null }],
    ['left open when X fails', { status: 503, body: '' }, unavailable],
  ])('that cannot be renewed is %s', async (_, me, expected) => {
    const { result } = await fresh(
      { secrets: { accessToken: 'access-1' }, deadToken: 'access-1' },
      { me },
    )
    expect(result).toEqual(expected)
  })

  test('that is over and cannot be renewed is dead', async () => {
    const { result } = await fresh({ secrets: { accessToken: 'a', expiresAt: String(NOW) } })
    expect(result).toEqual(refused)
  })

  test('says nothing when X is not there', async () => {
    const settings = { clientId: 'app', tokenUrl: await closedPort() }
    const input = { baseUrl: '', settings, now: NOW, secrets, deadToken: 'access-1' }
    await expect(x.freshToken(input)).rejects.toEqual(unavailable)
  })
})

describe('granting access to X', () => {
  const grant = { baseUrl: '', redirectUri: 'https://herald.example/callback', now: NOW }

  test('begins at X with a challenge, and ends with an account and its tokens', async () => {
    const begun = await x.oauth!.begin({
      ...grant,
      settings: { clientId: 'app' },
      state: 'state-1',
    })
    const url = new URL(begun.url)
    expect(url.origin + url.pathname).toBe('https://x.com/i/oauth2/authorize')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: grant.redirectUri,
      scope: 'tweet.read tweet.write users.read media.write offline.access',
      state: 'state-1',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const query = { code: 'code-1', state: 'state-1' }
    const { result, received } = await onX({}, (settings) =>
      x.oauth!.finish({ ...grant, settings, kept: begun.kept, query }),
    )
    expect(result).toMatchObject([
      {
        account: '12',
        secrets: { accessToken: 'access-2', refreshToken: 'refresh-2' },
        expiresAt: NOW + 7_200_000,
      },
    ])
    expect(Object.fromEntries(new URLSearchParams(received[0]!.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: grant.redirectUri,
      code_verifier: begun.kept['verifier'],
    })
  })

  test('of an app without a secret is asked for with the id alone', async () => {
    const query = { code: 'code-1' }
    const { received } = await onX({}, ({ apiUrl = '', tokenUrl = '', clientId = '' }) =>
      x.oauth!.finish({
        ...grant,
        settings: { apiUrl, tokenUrl, clientId },
        kept: { verifier: 'v' },
        query,
      }),
    )
    expect(received[0]!.headers.authorization).toBeUndefined()
    expect(received[0]!.body).toContain('client_id=app')
  })

  test('needs an app, a code, and a code that X accepts', async () => {
    await expect(x.oauth!.begin({ ...grant, settings: {}, state: 's' })).rejects.toEqual(refused)
    const denied = await onX({}, (settings) =>
      x.oauth!.finish({ ...grant, settings, kept: {}, query: { error: 'access_denied' } }),
    )
    expect(denied.result).toEqual(refused)
    expect(denied.received).toEqual([])
    const body = {
      error: 'invalid_request',
      error_description: 'Value passed for the authorization code was invalid.',
    }
    const old = await onX({ token: { status: 400, body } }, (settings) =>
      x.oauth!.finish({ ...grant, settings, kept: {}, query: { code: 'old' } }),
    )
    expect(old.result).toEqual(refused)
  })

  test.each<[Answer, boolean]>([
    [{ status: 200, body: { revoked: true } }, true],
    [{ status: 400, body: { error: 'invalid_request' } }, true],
    [{ status: 401, body: {} }, false],
    [{ status: 500, body: '' }, false],
  ])('is ended with its refresh token, answered with %j', async (token, isEnded) => {
    const secrets = { accessToken: 'a', refreshToken: 'r' }
    const { result, received } = await onX({ token }, (settings) =>
      x.oauth!.revoke!({ baseUrl: '', settings, secrets }),
    )
    expect(received[0]!.body).toBe('token=r')
    expect(result instanceof ConnectError).toBe(!isEnded)
  })
})
