import { describe, expect, test } from 'vitest'
import { blueskyConnector as bluesky } from '../src/bluesky/connector.ts'
import {
  type Answer,
  closedPort,
  type Received,
  type Script,
  scriptedServer,
} from './scripted-server.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30)
const DID = 'did:plc:ada'
const credentials = { identifier: '@ada.test', appPassword: 'abcd-efgh' }

/** A token as servers make them: three parts, the middle one with the time at which it expires. */
function jwt(name: string, expiresAt?: number): string {
  const payload = { sub: name, ...(expiresAt && { exp: expiresAt / 1000 }) }
  return `head.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.sign`
}

const NEW = {
  did: DID,
  handle: 'ada.test',
  accessJwt: jwt('access-2', NOW + 7_200_000),
  refreshJwt: 'refresh-2',
}
const refusal = (error: string, status = 400): Answer => ({
  status,
  body: { error, message: 'No.' },
})

/** A server that answers each method with what is given for it. */
function methods(answers: Record<string, Answer | ((request: Received) => Answer)>): Script {
  return (request) => {
    const answer = answers[request.path.slice('/xrpc/'.length)]
    if (!answer) return refusal('MethodNotImplemented', 501)
    return typeof answer === 'function' ? answer(request) : answer
  }
}

const LOGIN = 'com.atproto.server.createSession'
const REFRESH = 'com.atproto.server.refreshSession'
const PROFILE = 'app.bsky.actor.getProfile'

describe('connecting a Bluesky account', () => {
  test('logs in and tells whose account it is', async () => {
    await using server = await scriptedServer(
      methods({
        [LOGIN]: { body: NEW },
        [PROFILE]: { body: { did: DID, displayName: 'Ada', avatar: 'https://cdn.example/a.jpg' } },
      }),
    )
    expect(await bluesky.identify({ settings: {}, baseUrl: server.url, credentials })).toEqual({
      account: DID,
      username: 'ada.test',
      name: 'Ada',
      avatarUrl: 'https://cdn.example/a.jpg',
      rules: {},
      secrets: {
        identifier: 'ada.test',
        appPassword: 'abcd-efgh',
        did: DID,
        accessJwt: NEW.accessJwt,
        refreshJwt: 'refresh-2',
      },
      expiresAt: NOW + 7_200_000,
    })
    const [login, profile] = server.received
    expect(JSON.parse(login!.body)).toEqual({ identifier: 'ada.test', password: 'abcd-efgh' })
    expect(profile).toMatchObject({
      query: { actor: DID },
      headers: { authorization: `Bearer ${NEW.accessJwt}` },
    })
  })

  test('does without a profile', async () => {
    await using server = await scriptedServer(
      methods({ [LOGIN]: { body: NEW }, [PROFILE]: refusal('UpstreamFailure', 502) }),
    )
    expect(
      await bluesky.identify({ settings: {}, baseUrl: server.url, credentials }),
    ).toMatchObject({
      name: 'ada.test',
      avatarUrl: null,
    })
  })

  test.each<[string, Answer, string]>([
    ['the password is wrong', refusal('AuthenticationRequired', 401), 'does not accept'],
    ['the account is suspended', refusal('AccountTakedown', 401), 'suspended'],
    ['a sign-in code is asked for', refusal('AuthFactorTokenRequired', 401), 'app password'],
    ['the server refuses otherwise', refusal('InvalidRequest'), 'No.'],
    ['there is no such server', { status: 404, body: '<html>' }, 'no Bluesky login'],
    [
      'the address leads elsewhere',
      { status: 301, headers: { location: '/' }, body: '' },
      'no Bluesky',
    ],
    ['the answer is no session', { body: '<html>' }, 'unreadable'],
  ])('is refused when %s', async (_, answer, message) => {
    await using server = await scriptedServer(methods({ [LOGIN]: answer }))
    await expect(
      bluesky.identify({ settings: {}, baseUrl: server.url, credentials }),
    ).rejects.toMatchObject({
      name: 'ConnectError',
      kind: 'refused',
      message: expect.stringContaining(message),
    })
  })

  test.each<Record<string, string>>([
    {},
    { identifier: 'ada.test' },
    { identifier: '', appPassword: 'x' },
    { identifier: 'ada.test', appPassword: 'x', accessToken: 'y' },
  ])('is refused with the credentials %j, and nothing is asked', async (given) => {
    await using server = await scriptedServer(methods({}))
    await expect(
      bluesky.identify({ settings: {}, baseUrl: server.url, credentials: given }),
    ).rejects.toMatchObject({ kind: 'refused' })
    expect(server.received).toEqual([])
  })

  test.each([refusal('RateLimitExceeded', 429), refusal('InternalServerError', 500)])(
    'says nothing about the login when the server answers %j',
    async (answer) => {
      await using server = await scriptedServer(methods({ [LOGIN]: answer }))
      await expect(
        bluesky.identify({ settings: {}, baseUrl: server.url, credentials }),
      ).rejects.toMatchObject({
        kind: 'unavailable',
      })
    },
  )
})

describe('the token of a Bluesky account', () => {
  const OLD = jwt('access-1', NOW + 3_600_000)
  const secrets = {
    identifier: 'ada.test',
    appPassword: 'abcd-efgh',
    did: DID,
    accessJwt: OLD,
    refreshJwt: 'refresh-1',
  }
  const renewed = {
    token: NEW.accessJwt,
    expiresAt: NOW + 7_200_000,
    secrets: { ...secrets, accessJwt: NEW.accessJwt, refreshJwt: 'refresh-2' },
  }

  async function freshToken(
    answers: Parameters<typeof methods>[0],
    overrides: {
      secrets?: Record<string, string>
      deadToken?: string
      now?: number
      aheadMs?: number
    } = {},
  ) {
    await using server = await scriptedServer(methods(answers))
    const outcome = await bluesky
      .freshToken({ settings: {}, baseUrl: server.url, secrets, now: NOW, ...overrides })
      .catch((error: unknown) => error)
    return {
      outcome,
      asked: server.received.map(({ path }) => path.slice('/xrpc/'.length)),
      server,
    }
  }

  test('is the stored one while it lasts, without asking', async () => {
    const { outcome, asked } = await freshToken({})
    expect(outcome).toEqual({ token: OLD, expiresAt: NOW + 3_600_000 })
    expect(asked).toEqual([])
  })

  test('is the stored one when it does not say how long it lasts', async () => {
    const { outcome } = await freshToken({}, { secrets: { ...secrets, accessJwt: 'opaque' } })
    expect(outcome).toEqual({ token: 'opaque', expiresAt: null })
  })

  test('that was renewed since it was refused is not renewed again', async () => {
    const { outcome, asked } = await freshToken({}, { deadToken: 'the one before' })
    expect(outcome).toMatchObject({ token: OLD })
    expect(asked).toEqual([])
  })

  test.each([
    ['was refused', { deadToken: OLD }],
    ['has expired', { now: NOW + 4_000_000 }],
    ['expires within a minute', { now: NOW + 3_600_000 - 30_000 }],
    ['expires within the time asked for', { aheadMs: 3_600_000 }],
  ])('that %s is renewed with the refresh token', async (_, overrides) => {
    const { outcome, asked, server } = await freshToken({ [REFRESH]: { body: NEW } }, overrides)
    expect(outcome).toEqual(renewed)
    expect(asked).toEqual([REFRESH])
    expect(server.received[0]).toMatchObject({
      method: 'POST',
      body: '',
      headers: { authorization: 'Bearer refresh-1' },
    })
  })

  test.each([refusal('ExpiredToken'), refusal('InvalidToken'), refusal('AuthMissing', 401)])(
    'is had by a new login when the refresh token is refused with %j',
    async (answer) => {
      const { outcome, asked } = await freshToken(
        { [REFRESH]: answer, [LOGIN]: { body: NEW } },
        { deadToken: OLD },
      )
      expect(outcome).toEqual(renewed)
      expect(asked).toEqual([REFRESH, LOGIN])
    },
  )

  test('is had by a login when there has been no session', async () => {
    const { outcome, asked } = await freshToken(
      { [LOGIN]: { body: NEW } },
      { secrets: { identifier: 'ada.test', appPassword: 'abcd-efgh' } },
    )
    expect(outcome).toMatchObject({ token: NEW.accessJwt })
    expect(asked).toEqual([LOGIN])
  })

  test.each([
    refusal('AuthenticationRequired', 401),
    refusal('AccountTakedown', 401),
    refusal('AccountTakedown', 400),
    refusal('AuthFactorTokenRequired', 401),
  ])('is lost only when the login is refused too, with %j', async (answer) => {
    const { outcome } = await freshToken(
      { [REFRESH]: refusal('ExpiredToken'), [LOGIN]: answer },
      { deadToken: OLD },
    )
    expect(outcome).toMatchObject({ name: 'ConnectError', kind: 'refused' })
  })

  test('is not taken from another account that has the handle now', async () => {
    const other = { ...NEW, did: 'did:plc:eve' }
    const { outcome } = await freshToken(
      { [REFRESH]: refusal('ExpiredToken'), [LOGIN]: { body: other } },
      { deadToken: OLD },
    )
    expect(outcome).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('another account'),
    })
  })

  test.each<[string, Parameters<typeof methods>[0], string[]]>([
    ['renewing fails', { [REFRESH]: refusal('InternalServerError', 500) }, [REFRESH]],
    ['renewing is rate limited', { [REFRESH]: refusal('RateLimitExceeded', 429) }, [REFRESH]],
    ['the renewal is unreadable', { [REFRESH]: { body: '{' } }, [REFRESH]],
    [
      'the login is rate limited',
      { [REFRESH]: refusal('ExpiredToken'), [LOGIN]: refusal('RateLimitExceeded', 429) },
      [REFRESH, LOGIN],
    ],
    [
      'a proxy answers for the server',
      { [REFRESH]: { status: 401, body: '<html>' }, [LOGIN]: { status: 401, body: '<html>' } },
      [REFRESH, LOGIN],
    ],
    [
      'the server refuses for another reason',
      { [REFRESH]: refusal('ExpiredToken'), [LOGIN]: refusal('InvalidRequest') },
      [REFRESH, LOGIN],
    ],
  ])('is not given up when %s', async (_, answers, expected) => {
    const { outcome, asked } = await freshToken(answers, { deadToken: OLD })
    expect(outcome).toMatchObject({ name: 'ConnectError', kind: 'unavailable' })
    expect(asked).toEqual(expected)
  })

  test('is not given up when nobody listens', async () => {
    const baseUrl = await closedPort()
    await expect(
      bluesky.freshToken({ settings: {}, baseUrl, secrets, now: NOW, deadToken: OLD }),
    ).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
