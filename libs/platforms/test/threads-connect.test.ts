import { describe, expect, test } from 'vitest'
import { threadsConnector as threads } from '../src/threads/connector.ts'
import { calls, formOf, graphRefusal, graphServer } from './graph-server.ts'
import { type Answer, closedPort } from './scripted-server.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30)
const DAY_MS = 86_400_000
const PROFILE = { id: '1', username: 'ada', name: 'Ada', threads_profile_picture_url: null }

function settingsFor(url: string): Record<string, string> {
  return {
    authorizeUrl: 'https://threads.net/oauth/authorize',
    tokenUrl: `${url}/oauth/access_token`,
    apiUrl: url,
    apiVersion: 'v1.0',
    clientId: 'app-1',
    clientSecret: 'secret-1',
  }
}

const grantFor = (url: string) => ({
  baseUrl: url,
  settings: settingsFor(url),
  redirectUri: 'https://herald.example/connect/callback/threads',
  now: NOW,
})

async function fresh(
  answers: Record<string, Answer>,
  more: { expiresInMs?: number; aheadMs?: number; deadToken?: string } = {},
) {
  await using server = await graphServer(answers)
  const { expiresInMs = 10 * DAY_MS, ...input } = more
  const secrets = { accessToken: 'long-1', expiresAt: String(NOW + expiresInMs) }
  const settings = settingsFor(server.url)
  const token = await threads
    .freshToken({ baseUrl: server.url, settings, secrets, now: NOW, ...input })
    .catch((error: unknown) => error)
  return { token, received: server.received }
}

describe('access to Threads', () => {
  test('is asked for with the app, the permissions and the state', async () => {
    const { url, kept } = await threads.oauth!.begin({ ...grantFor('http://a'), state: 's1' })
    expect(kept).toEqual({})
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'app-1',
      redirect_uri: 'https://herald.example/connect/callback/threads',
      response_type: 'code',
      scope: 'threads_basic,threads_content_publish',
      state: 's1',
    })
  })

  test('is given for a code: a token of an hour, and for that one of 60 days', async () => {
    await using server = await graphServer({
      'POST /oauth/access_token': { body: { access_token: 'short-1', user_id: 1 } },
      'GET /access_token': { body: { access_token: 'long-1', expires_in: 5_184_000 } },
      'GET /v1.0/me': { body: PROFILE },
    })
    const grant = grantFor(server.url)
    const identities = await threads.oauth!.finish({ ...grant, kept: {}, query: { code: 'c#_' } })
    expect(identities).toEqual([
      {
        account: '1',
        username: 'ada',
        name: 'Ada',
        avatarUrl: null,
        rules: {},
        secrets: { accessToken: 'long-1', expiresAt: String(NOW + 60 * DAY_MS) },
        expiresAt: NOW + 60 * DAY_MS,
      },
    ])
    expect(formOf(server.received[0]!)).toMatchObject({ code: 'c', client_secret: 'secret-1' })
    expect(server.received[1]!.query).toEqual({
      grant_type: 'th_exchange_token',
      client_secret: 'secret-1',
      access_token: 'short-1',
    })
  })

  test.each<[string, Record<string, Answer>, string]>([
    [
      'a code that is not good',
      { 'POST /oauth/access_token': { status: 400, body: { error_message: 'Invalid code' } } },
      'refused',
    ],
    [
      'a platform that is broken',
      { 'POST /oauth/access_token': { status: 500, body: '' } },
      'unavailable',
    ],
    [
      'an answer that is not readable',
      { 'POST /oauth/access_token': { body: '<html>' } },
      'unavailable',
    ],
  ])('is not given for %s', async (_, answers, kind) => {
    await using server = await graphServer(answers)
    const finish = threads.oauth!.finish({
      ...grantFor(server.url),
      kept: {},
      query: { code: 'c' },
    })
    await expect(finish).rejects.toMatchObject({ name: 'ConnectError', kind })
  })

  test('needs an app', async () => {
    const grant = { ...grantFor('http://a'), settings: {}, state: 's1' }
    await expect(threads.oauth!.begin(grant)).rejects.toThrow('THREADS_CLIENT_ID')
  })
})

describe('a token of Threads', () => {
  test.each<[string, Answer, string]>([
    ['that is dead', graphRefusal(190, 463), 'refused'],
    ['without a permission', graphRefusal(10), 'refused'],
    ['that cannot be checked', graphRefusal(4), 'unavailable'],
    ['of nobody', { body: {} }, 'unavailable'],
  ])('%s connects nothing', async (_, answer, kind) => {
    await using server = await graphServer({ 'GET /v1.0/me': answer })
    const settings = settingsFor(server.url)
    const credentials = { accessToken: 'long-1' }
    await expect(
      threads.identify({ baseUrl: server.url, settings, credentials }),
    ).rejects.toMatchObject({ kind })
  })

  test('is used as it is while it lasts', async () => {
    const { token, received } = await fresh({})
    expect(token).toEqual({ token: 'long-1', expiresAt: NOW + 10 * DAY_MS })
    expect(received).toEqual([])
  })

  test('that ends soon is renewed', async () => {
    const { token, received } = await fresh(
      { 'GET /refresh_access_token': { body: { access_token: 'long-2', expires_in: 5_184_000 } } },
      { aheadMs: 11 * DAY_MS },
    )
    const expiresAt = NOW + 60 * DAY_MS
    expect(token).toEqual({
      token: 'long-2',
      expiresAt,
      secrets: { accessToken: 'long-2', expiresAt: String(expiresAt) },
    })
    expect(received[0]!.query).toEqual({ grant_type: 'th_refresh_token', access_token: 'long-1' })
  })

  test.each<[string, Answer, number, object]>([
    [
      'is used all the same while it is good',
      { status: 500, body: '' },
      DAY_MS,
      { token: 'long-1' },
    ],
    ['is missing when it has ended', { status: 500, body: '' }, -1, { kind: 'unavailable' }],
    ['is dead when the platform says so', graphRefusal(190, 463), DAY_MS, { kind: 'refused' }],
  ])('that cannot be renewed %s', async (_, answer, expiresInMs, expected) => {
    const { token } = await fresh(
      { 'GET /refresh_access_token': answer },
      { expiresInMs, aheadMs: 11 * DAY_MS },
    )
    expect(token).toMatchObject(expected)
  })

  test.each<[Answer, object]>([
    [{ body: { id: '1' } }, { token: 'long-1' }],
    [graphRefusal(190, 460), { kind: 'refused' }],
    [graphRefusal(100), { kind: 'unavailable' }],
    [{ status: 401, body: '' }, { kind: 'unavailable' }],
  ])('that was refused is asked about: %j', async (answer, expected) => {
    const { token, received } = await fresh({ 'GET /v1.0/me': answer }, { deadToken: 'long-1' })
    expect(token).toMatchObject(expected)
    expect(calls(received)).toEqual(['GET /v1.0/me'])
  })

  test('is neither good nor dead when nobody listens', async () => {
    const url = await closedPort()
    const credentials = { accessToken: 'long-1' }
    await expect(
      threads.identify({ baseUrl: url, settings: settingsFor(url), credentials }),
    ).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
