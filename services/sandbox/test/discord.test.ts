import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aForm, discordBot } from './discord.ts'
import { mp4, png } from './media-bytes.ts'
import { sha256 } from './publish-file.ts'
import { testSandbox } from './sandbox.ts'

const MEBIBYTE = 1024 * 1024
const REDIRECT = 'https://client.example/callback'

describe('a message on Discord', () => {
  test('is answered with its author, time and nonce, and is live', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox, 'harbour')
    const { status, body, headers } = await bot.post({ content: ' Hello ', nonce: 'a' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      channel_id: bot.account,
      content: 'Hello',
      nonce: 'a',
      timestamp: '2026-11-21T12:00:00.000000+00:00',
      author: { bot: true },
    })
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset-after': '5.000',
    })
    const [live] = await sandbox.live()
    expect(live).toMatchObject({ account: bot.account, id: body.id, text: 'Hello', media: [] })
    expect((await sandbox.ask('GET', new URL(live.url).pathname)).body).toContain('Hello')
  })

  test('with a nonce that is to be unique is posted once in five minutes', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox)
    const body = { content: 'Hello', nonce: 'key-1', enforce_nonce: true }
    const first = await bot.post(body)
    expect((await bot.post(body)).body.id).toBe(first.body.id)
    expect((await sandbox.live()).length).toBe(1)
    expect(await sandbox.requests()).toMatchObject([
      { key: 'key-1', applied: true },
      { key: 'key-1', applied: false },
    ])
    await sandbox.advance(300)
    expect((await bot.post(body)).body.id).not.toBe(first.body.id)
  })

  test('with a nonce that need not be unique is posted each time', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox)
    for (const _ of [1, 2]) await bot.post({ content: 'Hello', nonce: 'key-1' })
    expect((await sandbox.live()).length).toBe(2)
  })

  test('has its files with their bytes, sizes and descriptions', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox)
    const payload = { attachments: [{ id: 1, filename: 'a b.mp4', description: 'A video' }] }
    const { body } = await bot.post(aForm(payload, png(8, 6), mp4()))
    expect(body.attachments).toMatchObject([
      { filename: 'picture0.png', content_type: 'image/png', width: 8, height: 6 },
      { filename: 'a_b.mp4', content_type: 'video/mp4', description: 'A video' },
    ])
    expect(await sandbox.live()).toMatchObject([
      { media: [{ sha256: sha256(png(8, 6)) }, { sha256: sha256(mp4()), altText: 'A video' }] },
    ])
    const path = new URL(body.attachments[0].url).pathname
    expect((await sandbox.ask('GET', path)).status).toBe(200)
  })

  test('takes 2000 characters, of which an emoji is one', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox)
    expect((await bot.post({ content: '🎉'.repeat(2000) })).status).toBe(200)
    expect((await bot.post({ content: 'x'.repeat(2001) })).body).toEqual({
      code: 50035,
      message: 'Invalid Form Body',
      errors: {
        content: {
          _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }],
        },
      },
    })
  })

  test.each<[string, object | FormData, number, number]>([
    ['nothing', { content: ' ' }, 400, 50006],
    ['a text that is a number', { content: 5 }, 400, 50035],
    ['a long nonce', { content: 'x', nonce: 'x'.repeat(26) }, 400, 50035],
    ['a flag that only Discord sets', { content: 'x', flags: 1 }, 400, 50035],
    ['a file that is not there', { content: 'x', attachments: [{ id: 0 }] }, 400, 50035],
    ['eleven files', aForm({}, ...Array<Buffer>(11).fill(png())), 400, 50035],
    [
      'a long description',
      aForm({ attachments: [{ id: 0, description: 'x'.repeat(1025) }] }, png()),
      400,
      50035,
    ],
    ['a file above 10 MiB', aForm({}, png(4, 3, 10 * MEBIBYTE + 1)), 413, 40005],
    ['more than 25 MiB', aForm({}, ...Array<Buffer>(3).fill(png(4, 3, 9 * MEBIBYTE))), 413, 40005],
    ['a blocked word', { content: '#sandbox-fail:automod' }, 400, 200000],
    ['a harmful link', { content: '#sandbox-fail:harmful_link' }, 400, 240000],
    ['a channel where it may not write', { content: '#sandbox-fail:permissions' }, 403, 50013],
    ['a channel in slow mode', { content: '#sandbox-fail:slowmode' }, 429, 20016],
  ])('with %s is refused', async (_, body, status, code) => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox)
    expect(await bot.post(body)).toMatchObject({ status, body: { code } })
    expect(await sandbox.live()).toEqual([])
  })

  test('that is no JSON is refused', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox)
    const answer = await sandbox.ask('POST', `/discord/api/v10/channels/${bot.account}/messages`, {
      body: Buffer.from('{"content":'),
      headers: {
        authorization: `Bot ${bot.credentials['botToken']}`,
        'content-type': 'application/json',
      },
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 50109 } })
  })

  test.each([
    ['without a token', {}, 401, 0],
    ['with the token of nobody', { authorization: 'Bot x' }, 401, 0],
    ['by a program that says nothing of itself', { 'user-agent': '' }, 403, 40333],
  ])('%s is refused', async (_, headers, status, code) => {
    await using sandbox = await testSandbox()
    const { account } = await discordBot(sandbox)
    const path = `/discord/api/v10/channels/${account}/messages`
    const answer = await sandbox.ask('POST', path, { body: { content: 'x' }, headers })
    expect(answer).toMatchObject({ status, body: { code } })
  })

  test('is refused for a moment after five, and the headers say for how long', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox)
    for (const index of [1, 2, 3, 4, 5]) await bot.post({ content: String(index) })
    const { status, headers, body } = await bot.post({ content: '6' })
    expect({ status, body }).toEqual({
      status: 429,
      body: { message: 'You are being rate limited.', retry_after: 5, global: false },
    })
    expect(headers.get('retry-after')).toBe('5')
    expect(headers.get('x-ratelimit-scope')).toBe('user')
    await sandbox.advance(5)
    expect((await bot.post({ content: '6' })).status).toBe(200)
  })
})

describe('the channels of a guild', () => {
  test('are read newest message first, without nonces', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox)
    const ids: string[] = []
    for (const content of ['a', 'b', 'c'])
      ids.push((await bot.post({ content, nonce: content })).body.id)
    const list = async (query: string) =>
      (await bot.ask('GET', `/channels/${bot.account}/messages${query}`)).body
    const contents = async (query: string) =>
      (await list(query)).map(({ content }: { content: string }) => content)
    expect(await contents('')).toEqual(['c', 'b', 'a'])
    expect(await contents('?limit=1')).toEqual(['c'])
    expect(await contents(`?limit=1&before=${ids[2]}`)).toEqual(['b'])
    expect(await contents(`?limit=1&after=${ids[0]}`)).toEqual(['b'])
    expect((await list(''))[0]).not.toHaveProperty('nonce')
    expect((await list('?limit=0')).code).toBe(50035)
  })

  test('are those that the bot sees', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox, 'harbour')
    const { guild_id: guild } = (await bot.ask('GET', `/channels/${bot.account}`)).body
    const { body } = await bot.ask('GET', `/guilds/${guild}/channels`)
    expect(body.map(({ type, name }: { type: number; name: string }) => [type, name])).toEqual([
      [4, 'Text channels'],
      [0, 'general'],
      [5, 'news'],
      [2, 'Lounge'],
    ])
    expect((await bot.ask('GET', `/guilds/${guild}`)).body).toMatchObject({ name: 'harbour' })
    expect((await bot.ask('GET', '/guilds/1')).body).toMatchObject({ code: 10004 })
    expect((await bot.ask('GET', '/channels/1')).body).toMatchObject({ code: 10003 })
    const category = body[0].id
    expect(
      (await bot.ask('POST', `/channels/${category}/messages`, { content: 'x' })).body,
    ).toMatchObject({ code: 50008 })
  })

  test('are closed to the bot once it was removed, and open when it is added again', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox, 'harbour')
    const { account } = bot
    await sandbox.ask('POST', '/_/tokens/revoke', { body: { platform: 'DISCORD', account } })
    expect(await bot.post({ content: 'x' })).toMatchObject({ status: 403, body: { code: 50001 } })
    expect((await discordBot(sandbox, 'harbour')).account).toBe(account)
    expect((await bot.post({ content: 'x' })).status).toBe(200)
  })

  test('outlive a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'herald-discord-'))
    const env = { SANDBOX_DATA_DIR: folder }
    let first: string
    {
      await using sandbox = await testSandbox(env)
      const bot = await discordBot(sandbox, 'harbour')
      first = (await bot.post({ content: 'x', nonce: 'n', enforce_nonce: true })).body.id
    }
    await using sandbox = await testSandbox(env)
    const bot = await discordBot(sandbox, 'harbour')
    const again = await bot.post({ content: 'x', nonce: 'n', enforce_nonce: true })
    expect(again.body.id).toBe(first)
    expect(BigInt((await bot.post({ content: 'y' })).body.id)).toBeGreaterThan(BigInt(first))
    await rm(folder, { recursive: true })
  })
})

describe('a webhook', () => {
  const pathOf = (url: string) => new URL(url).pathname

  test('posts without another token, and tells the message when it is asked to wait', async () => {
    await using sandbox = await testSandbox()
    const bot = await discordBot(sandbox)
    const hook = await bot.webhook('News')
    const path = pathOf(hook.url)
    expect((await sandbox.ask('GET', path)).body).toMatchObject({
      id: hook.id,
      name: 'News',
      channel_id: bot.account,
    })
    const body = { content: 'Hello', nonce: 'n', enforce_nonce: true }
    const told = await sandbox.ask('POST', `${path}?wait=true`, { body })
    expect(told.body).toMatchObject({ webhook_id: hook.id, author: { username: 'News' } })
    expect(told.body).not.toHaveProperty('nonce')
    // It knows no nonce: the same call again is another message.
    expect(await sandbox.ask('POST', path, { body })).toMatchObject({ status: 204, body: '' })
    expect(await sandbox.live()).toMatchObject([
      { account: hook.id, text: 'Hello' },
      { account: hook.id, text: 'Hello' },
    ])
  })

  test('has only the token that it was given, and ends when it is deleted', async () => {
    await using sandbox = await testSandbox()
    const hook = await (await discordBot(sandbox)).webhook()
    const path = pathOf(hook.url)
    const body = { content: 'x' }
    expect(await sandbox.ask('POST', `${path}x`, { body })).toMatchObject({
      status: 401,
      body: { code: 50027 },
    })
    expect((await sandbox.ask('DELETE', path)).status).toBe(204)
    expect(await sandbox.ask('POST', path, { body })).toMatchObject({
      status: 404,
      body: { code: 10015 },
    })
  })
})

describe('a person who adds the bot', () => {
  const asked = {
    client_id: 'sandbox-app',
    response_type: 'code',
    redirect_uri: REDIRECT,
    permissions: '117760',
    state: 'a&b',
  }

  async function arrange(scope: string) {
    const sandbox = await testSandbox()
    const bot = await discordBot(sandbox, 'harbour')
    const { guild_id: guild } = (await bot.ask('GET', `/channels/${bot.account}`)).body
    await sandbox.ask('POST', '/_/tokens/revoke', {
      body: { platform: 'DISCORD', account: bot.account },
    })
    const decide = (decision = 'approve') =>
      sandbox.ask('POST', '/discord/oauth2/authorize', {
        body: { ...asked, scope, sandbox_account: guild, sandbox_decision: decision },
      })
    const token = (fields: Record<string, string>) =>
      sandbox.ask('POST', '/discord/api/oauth2/token', {
        body: Buffer.from(new URLSearchParams(fields).toString()),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    return { sandbox, bot, guild, decide, token, [Symbol.asyncDispose]: sandbox.close }
  }

  const app = { client_id: 'sandbox-app', client_secret: 'sandbox-secret' }

  test('is sent back with a code, the state and the guild, and the code names the guild once', async () => {
    await using world = await arrange('bot identify')
    const { sandbox, bot, guild, decide, token } = world
    const query = new URLSearchParams({ ...asked, scope: 'bot identify' })
    const page = await sandbox.ask('GET', `/discord/oauth2/authorize?${query.toString()}`)
    expect(page.body).toContain('harbour')
    expect((await bot.post({ content: 'x' })).status).toBe(403)
    const back = new URL((await decide()).headers.get('location') ?? '')
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.any(String),
      state: 'a&b',
      guild_id: guild,
      permissions: '117760',
    })
    const grant = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
    }
    expect(await token({ ...grant, ...app, client_secret: 'x' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    })
    const { body } = await token({ ...grant, ...app })
    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 604_800,
      scope: 'bot identify',
      guild: { id: guild, name: 'harbour' },
    })
    expect(await token({ ...grant, ...app })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    expect((await bot.post({ content: 'x' })).status).toBe(200)
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token, ...app }
    const renewed = await token(refresh)
    expect(renewed.body.access_token).not.toBe(body.access_token)
    expect(await token(refresh)).toMatchObject({ body: { error: 'invalid_grant' } })
    expect(
      (await sandbox.ask('GET', '/discord/api/v10/users/@me', { token: renewed.body.access_token }))
        .status,
    ).toBe(200)
  })

  test('is not sent back when the app asks for the bot alone', async () => {
    await using world = await arrange('bot')
    const { bot, decide } = world
    expect((await decide()).status).toBe(200)
    expect((await bot.post({ content: 'x' })).status).toBe(200)
  })

  test('may refuse', async () => {
    await using world = await arrange('bot identify')
    const { bot, decide } = world
    expect((await decide('deny')).headers.get('location')).toContain('error=access_denied')
    expect((await bot.post({ content: 'x' })).status).toBe(403)
  })
})
