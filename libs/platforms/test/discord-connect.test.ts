import { describe, expect, test } from 'vitest'
import { discordConnector as discord } from '../src/discord/connector.ts'
import { platformSettings } from '../src/settings.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const CHANNEL = { id: '800', type: 0, name: 'general', guild_id: '600', position: 1 }
const GUILD = { id: '600', name: 'Harbour', icon: 'abc' }
const REFUSED = { kind: 'refused' }
const UNAVAILABLE = { kind: 'unavailable' }

type Answers = Record<string, Answer>

/** What Discord answers by path; what is not said is not found. */
async function openDiscord(answers: Answers) {
  const server = await scriptedServer(
    ({ path }) => answers[path] ?? { status: 404, body: { code: 0, message: '404: Not Found' } },
  )
  const settings = platformSettings({
    DISCORD_API_URL: server.url,
    DISCORD_TOKEN_URL: `${server.url}/token`,
    DISCORD_CLIENT_ID: 'app-1',
    DISCORD_CLIENT_SECRET: 'secret-1',
    DISCORD_BOT_TOKEN: 'bot.token.1',
  }).of('DISCORD')
  return { ...server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](), settings }
}

const THERE: Answers = { '/channels/800': { body: CHANNEL }, '/guilds/600': { body: GUILD } }

describe('connecting a channel of a bot', () => {
  test.each([
    ["of one's own keeps its token", 'bot.token.2', { botToken: 'bot.token.2', channelId: '800' }],
    ["of Herald's keeps no token", 'bot.token.1', { channelId: '800' }],
  ])('%s', async (_, botToken, secrets) => {
    await using server = await openDiscord(THERE)
    const { url: baseUrl, settings } = server
    const identity = await discord.identify({
      baseUrl,
      settings,
      credentials: { botToken, channelId: '800' },
    })
    expect(identity).toEqual({
      account: '800',
      username: 'general',
      name: '#general (Harbour)',
      avatarUrl: 'https://cdn.discordapp.com/icons/600/abc.png',
      rules: {},
      limits: { guildId: '600' },
      secrets,
    })
    expect(server.received[0]!.headers).toMatchObject({ authorization: `Bot ${botToken}` })
  })

  test.each<[string, Record<string, string>, Answers, object]>([
    ['without a token', { channelId: '800' }, THERE, REFUSED],
    ['whose id is no number', { botToken: 'a.b.c', channelId: '../x' }, THERE, REFUSED],
    [
      'that is for voice',
      { botToken: 'a.b.c', channelId: '800' },
      { '/channels/800': { body: { ...CHANNEL, type: 2 } } },
      REFUSED,
    ],
    ['that is not there', { botToken: 'a.b.c', channelId: '1' }, THERE, REFUSED],
    [
      'with a wrong token',
      { botToken: 'a.b.c', channelId: '800' },
      { '/channels/800': { status: 401, body: { code: 0, message: '401: Unauthorized' } } },
      REFUSED,
    ],
    [
      'while Discord is down',
      { botToken: 'a.b.c', channelId: '800' },
      { '/channels/800': { status: 503, body: '' } },
      UNAVAILABLE,
    ],
    [
      'while Discord asks to wait',
      { botToken: 'a.b.c', channelId: '800' },
      { '/channels/800': { status: 429, body: {} } },
      UNAVAILABLE,
    ],
    [
      'when the answer is no JSON',
      { botToken: 'a.b.c', channelId: '800' },
      { '/channels/800': { body: '<html>' } },
      UNAVAILABLE,
    ],
  ])('%s fails', async (_, credentials, answers, expected) => {
    await using server = await openDiscord(answers)
    const { url: baseUrl, settings } = server
    await expect(discord.identify({ baseUrl, settings, credentials })).rejects.toMatchObject(
      expected,
    )
  })
})

describe('connecting a webhook', () => {
  const HOOK = { id: '500', guild_id: '600', channel_id: '800', name: 'News', avatar: null }

  test('asks the API that is set, whatever the host of its address', async () => {
    await using server = await openDiscord({ '/webhooks/500/hook-token': { body: HOOK } })
    const { url: baseUrl, settings } = server
    const webhookUrl = 'https://ptb.discord.com/api/webhooks/500/hook-token'
    const identity = await discord.identify({ baseUrl, settings, credentials: { webhookUrl } })
    expect(identity).toMatchObject({
      account: '500',
      username: 'News',
      limits: { guildId: '600' },
      secrets: { webhookUrl },
    })
    expect(
      await discord.freshToken({ baseUrl, settings, secrets: { webhookUrl }, now: 0 }),
    ).toEqual({ token: '500/hook-token', expiresAt: null })
  })

  test.each(['https://discord.com/api/webhooks/500', 'ftp://a/webhooks/1/b', 'x', 'https://a/b?c'])(
    'with the address %s is refused',
    async (webhookUrl) => {
      await using server = await openDiscord({})
      const { url: baseUrl, settings } = server
      await expect(
        discord.identify({ baseUrl, settings, credentials: { webhookUrl } }),
      ).rejects.toMatchObject(REFUSED)
      expect(server.received).toEqual([])
    },
  )

  test.each([
    [404, 10015],
    [401, 50027],
  ])('that is gone (%i, %i) is refused', async (status, code) => {
    const path = '/webhooks/500/hook-token'
    await using server = await openDiscord({ [path]: { status, body: { code } } })
    const { url: baseUrl, settings } = server
    const secrets = { webhookUrl: `https://discord.com/api${path}` }
    await expect(
      discord.identify({ baseUrl, settings, credentials: secrets }),
    ).rejects.toMatchObject(REFUSED)
    await expect(
      discord.freshToken({ baseUrl, settings, secrets, now: 0, deadToken: '500/hook-token' }),
    ).rejects.toMatchObject(REFUSED)
  })
})

describe('the token of a bot', () => {
  const secrets = { channelId: '800' }

  test('is that of the settings, or the one that was given, without a call', async () => {
    await using server = await openDiscord({})
    const { url: baseUrl, settings } = server
    const token = async (kept: Record<string, string>) =>
      (await discord.freshToken({ baseUrl, settings, secrets: kept, now: 0 })).token
    expect(await token(secrets)).toBe('bot.token.1')
    expect(await token({ ...secrets, botToken: 'own' })).toBe('own')
    expect(server.received).toEqual([])
  })

  test('is not there without the setting, which says nothing about the channel', async () => {
    await expect(
      discord.freshToken({ baseUrl: 'http://127.0.0.1:1', settings: {}, secrets, now: 0 }),
    ).rejects.toMatchObject(UNAVAILABLE)
  })

  test.each<[string, Answer, object | undefined]>([
    ['is answered again when the channel can be seen', { body: CHANNEL }, undefined],
    ['is dead when Discord says so', { status: 401, body: { code: 0 } }, REFUSED],
    ['is dead when the bot was removed', { status: 403, body: { code: 50001 } }, REFUSED],
    ['is dead when the channel is gone', { status: 404, body: { code: 10003 } }, REFUSED],
    ['is not dead by a word of a proxy', { status: 401, body: '<html>' }, UNAVAILABLE],
    ['is not dead by another refusal', { status: 403, body: { code: 50013 } }, UNAVAILABLE],
    ['is not dead while Discord is down', { status: 500, body: '' }, UNAVAILABLE],
  ])('that was refused %s', async (_, answer, expected) => {
    await using server = await openDiscord({ '/channels/800': answer })
    const { url: baseUrl, settings } = server
    const input = { baseUrl, settings, secrets, now: 0, deadToken: 'bot.token.1' }
    const asked = discord.freshToken(input)
    if (expected) await expect(asked).rejects.toMatchObject(expected)
    else expect(await asked).toEqual({ token: 'bot.token.1', expiresAt: null })
  })

  test('that was refused is not answered when nobody listens', async () => {
    const settings = { apiUrl: await closedPort(), botToken: 'bot.token.1' }
    await expect(
      discord.freshToken({ baseUrl: '', settings, secrets, now: 0, deadToken: 'bot.token.1' }),
    ).rejects.toMatchObject(UNAVAILABLE)
  })
})

describe('granting access to the bot of Herald', () => {
  const grant = { redirectUri: 'https://herald.example/callback', now: 0 }

  test('begins at the page of Discord with the permissions that posting needs', async () => {
    await using server = await openDiscord({})
    const { url: baseUrl, settings } = server
    const { url, kept } = await discord.oauth!.begin({ baseUrl, settings, ...grant, state: 's' })
    expect(kept).toEqual({})
    expect(url.startsWith('https://discord.com/oauth2/authorize?')).toBe(true)
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'app-1',
      response_type: 'code',
      scope: 'bot identify',
      permissions: '117760',
      redirect_uri: 'https://herald.example/callback',
      state: 's',
      prompt: 'consent',
    })
  })

  test.each(['clientId', 'botToken'])('needs the setting %s', async (name) => {
    await using server = await openDiscord({})
    const { url: baseUrl, settings } = server
    const { [name]: _, ...others } = settings
    await expect(
      discord.oauth!.begin({ baseUrl, settings: others, ...grant, state: 's' }),
    ).rejects.toMatchObject(REFUSED)
  })

  test('ends with the text and announcement channels of the server that Discord names', async () => {
    const channels = [
      { ...CHANNEL, id: '803', type: 5, name: 'news', position: 3 },
      { ...CHANNEL, id: '801', type: 4, name: 'Text' },
      { ...CHANNEL, id: '802', type: 15, name: 'forum' },
      CHANNEL,
    ]
    await using server = await openDiscord({
      '/token': { body: { access_token: 'user', guild: GUILD } },
      '/guilds/600/channels': { body: channels },
      '/guilds/666/channels': { body: [] },
    })
    const { url: baseUrl, settings } = server
    const query = { code: 'code-1', guild_id: '666' }
    const found = await discord.oauth!.finish({ baseUrl, settings, ...grant, kept: {}, query })
    expect(found.map(({ account, secrets }) => ({ account, secrets }))).toEqual([
      { account: '800', secrets: { channelId: '800' } },
      { account: '803', secrets: { channelId: '803' } },
    ])
    expect(Object.fromEntries(new URLSearchParams(server.received[0]!.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: 'https://herald.example/callback',
      client_id: 'app-1',
      client_secret: 'secret-1',
    })
  })

  test.each<[string, Record<string, string>, Answers]>([
    ['the person refused', { error: 'access_denied' }, {}],
    ['no bot was added', { code: 'c' }, { '/token': { body: { access_token: 'user' } } }],
    [
      'the code is over',
      { code: 'c' },
      { '/token': { status: 400, body: { error: 'invalid_grant' } } },
    ],
  ])('ends with nothing when %s', async (_, query, answers) => {
    await using server = await openDiscord(answers)
    const { url: baseUrl, settings } = server
    await expect(
      discord.oauth!.finish({ baseUrl, settings, ...grant, kept: {}, query }),
    ).rejects.toMatchObject(REFUSED)
  })
})
