import { describe, expect, test } from 'vitest'
import { mastodonConnector as mastodon } from '../src/mastodon/connector.ts'
import { closedPort, scriptedServer, type Script } from './scripted-server.ts'

const ACCOUNT = {
  id: '109',
  username: 'ada',
  acct: 'ada',
  display_name: 'Ada L.',
  avatar: 'https://files.example/ada.png',
}
const INSTANCE = {
  configuration: { statuses: { max_characters: 5000, max_media_attachments: 16 } },
}
const credentials = { accessToken: 'token-1' }

const working: Script = ({ path, headers }) => {
  if (path === '/api/v2/instance') return { body: INSTANCE }
  if (path !== '/api/v1/accounts/verify_credentials') return { status: 404, body: '' }
  return headers.authorization === 'Bearer token-1'
    ? { body: ACCOUNT }
    : { status: 401, body: { error: 'The access token is invalid' } }
}

describe('connecting a Mastodon account', () => {
  test("tells whose token it is, with the instance's own limits", async () => {
    await using server = await scriptedServer(working)
    expect(await mastodon.identify({ settings: {}, baseUrl: server.url, credentials })).toEqual({
      account: '109',
      username: 'ada',
      name: 'Ada L.',
      avatarUrl: 'https://files.example/ada.png',
      rules: { maxChars: 5000, maxImages: 16 },
      secrets: { accessToken: 'token-1' },
    })
  })

  test('takes the user name for an account without a display name, and no address that is not for the web', async () => {
    const account = { ...ACCOUNT, display_name: ' ', avatar: 'javascript:alert(1)' }
    await using server = await scriptedServer(({ path }) =>
      path.startsWith('/api/v1') ? { body: account } : { status: 404, body: '' },
    )
    expect(
      await mastodon.identify({ settings: {}, baseUrl: `${server.url}/`, credentials }),
    ).toMatchObject({
      name: 'ada',
      avatarUrl: null,
      rules: {},
    })
  })

  test.each<[string, Script, string]>([
    [
      'the token is not accepted',
      () => ({ status: 401, body: { error: 'invalid' } }),
      'does not accept',
    ],
    ['the token has too few scopes', () => ({ status: 403, body: { error: 'outside' } }), 'scopes'],
    ['there is no Mastodon', () => ({ status: 404, body: '<html>' }), 'no Mastodon instance'],
    [
      'the address leads elsewhere',
      () => ({ status: 301, headers: { location: '/' }, body: '' }),
      'no Mastodon',
    ],
    ['the answer is no account', () => ({ body: '<html>' }), 'no Mastodon instance'],
  ])('is refused when %s', async (_, script, message) => {
    await using server = await scriptedServer(script)
    await expect(
      mastodon.identify({ settings: {}, baseUrl: server.url, credentials }),
    ).rejects.toMatchObject({
      name: 'ConnectError',
      kind: 'refused',
      message: expect.stringContaining(message),
    })
  })

  test.each<Record<string, string>>([
    {},
    { accessToken: '' },
    { accessToken: 'two words' },
    { accessToken: 'a\r\nb' },
    { accessToken: 'a', more: 'b' },
  ])('is refused with the credentials %j, and nothing is asked', async (given) => {
    await using server = await scriptedServer(working)
    await expect(
      mastodon.identify({ settings: {}, baseUrl: server.url, credentials: given }),
    ).rejects.toMatchObject({ kind: 'refused' })
    expect(server.received).toEqual([])
  })

  test.each<[string, Script]>([
    ['the instance fails', () => ({ status: 503, body: '' })],
    ['the instance is overloaded', () => ({ status: 429, body: { error: 'Throttled' } })],
    ['the answer breaks off', (_, response) => void response.destroy()],
  ])('says nothing about the token when %s', async (_, script) => {
    await using server = await scriptedServer(script)
    await expect(
      mastodon.identify({ settings: {}, baseUrl: server.url, credentials }),
    ).rejects.toMatchObject({
      kind: 'unavailable',
    })
  })

  test('says nothing about the token when nobody listens', async () => {
    const baseUrl = await closedPort()
    await expect(mastodon.identify({ settings: {}, baseUrl, credentials })).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The Mastodon instance does not answer (ECONNREFUSED).',
    })
  })
})

describe('the limits of a Mastodon instance', () => {
  const account = { settings: {}, token: 'token-1', account: '109', limits: {} }

  test('are what it tells now', async () => {
    await using server = await scriptedServer(working)
    expect(await mastodon.readLimits?.({ ...account, baseUrl: server.url })).toEqual({
      rules: { maxChars: 5000, maxImages: 16 },
      limits: {},
    })
  })

  test.each<[string, Script]>([
    ['fails', () => ({ status: 503, body: '' })],
    ['is being moved', () => ({ status: 404, body: INSTANCE })],
    ['answers with a page', () => ({ body: '<html>Maintenance' })],
  ])('are not known while it %s', async (_, script) => {
    await using server = await scriptedServer(script)
    await expect(mastodon.readLimits?.({ ...account, baseUrl: server.url })).rejects.toMatchObject({
      name: 'ConnectError',
      kind: 'unavailable',
    })
  })
})

describe('the token of a Mastodon account', () => {
  const secrets = { accessToken: 'token-1' }

  test('is the stored one, without asking', async () => {
    const baseUrl = await closedPort()
    expect(await mastodon.freshToken({ settings: {}, baseUrl, secrets, now: 0 })).toEqual({
      token: 'token-1',
      expiresAt: null,
    })
    expect(
      await mastodon.freshToken({
        settings: {},
        baseUrl,
        secrets,
        now: 0,
        deadToken: 'an older one',
      }),
    ).toMatchObject({ token: 'token-1' })
  })

  test('is kept after a refusal when the instance accepts it', async () => {
    await using server = await scriptedServer(working)
    const input = { settings: {}, baseUrl: server.url, secrets, now: 0, deadToken: 'token-1' }
    expect(await mastodon.freshToken(input)).toMatchObject({ token: 'token-1' })
    expect(server.received).toHaveLength(1)
  })

  test('is dead when the instance says so', async () => {
    await using server = await scriptedServer(working)
    const dead = { accessToken: 'token-2' }
    await expect(
      mastodon.freshToken({
        settings: {},
        baseUrl: server.url,
        secrets: dead,
        now: 0,
        deadToken: 'token-2',
      }),
    ).rejects.toMatchObject({ kind: 'refused' })
  })

  test.each<[string, Script]>([
    ['a proxy asks for a password', () => ({ status: 401, body: '<html>Unauthorized' })],
    ['a firewall is in the way', () => ({ status: 403, body: '<html>Forbidden' })],
    ['the instance has moved', () => ({ status: 404, body: '' })],
    ['the instance fails', () => ({ status: 500, body: { error: 'oops' } })],
  ])('is not given up when %s', async (_, script) => {
    await using server = await scriptedServer(script)
    await expect(
      mastodon.freshToken({
        settings: {},
        baseUrl: server.url,
        secrets,
        now: 0,
        deadToken: 'token-1',
      }),
    ).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
