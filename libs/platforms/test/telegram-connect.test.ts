import { describe, expect, test } from 'vitest'
import { telegramConnector as telegram } from '../src/telegram/connector.ts'
import { type Answer, closedPort, scriptedServer } from './scripted-server.ts'

const TOKEN = '123:secret-of-the-bot'
const CHAT = { id: -1001234, type: 'channel', title: 'Harbour', username: 'harbour' }
const ADMIN = { status: 'administrator', can_post_messages: true }
const REFUSED = { kind: 'refused' }
const UNAVAILABLE = { kind: 'unavailable' }

const ok = (result: unknown): Answer => ({ body: { ok: true, result } })
const no = (status: number, description: string, parameters?: object): Answer => ({
  status,
  body: { ok: false, error_code: status, description, ...(parameters && { parameters }) },
})

type Answers = { getMe?: Answer; getChat?: Answer; getChatMember?: Answer }

/** What the Bot API answers by method. */
async function openBotApi(answers: Answers = {}) {
  const all: Record<string, Answer> = {
    getMe: ok({ id: 123, is_bot: true }),
    getChat: ok(CHAT),
    getChatMember: ok(ADMIN),
    ...answers,
  }
  const server = await scriptedServer(({ path }) => all[path.split('/').at(-1) ?? ''] ?? {})
  const place = { baseUrl: server.url, settings: { apiUrl: server.url } }
  return { ...server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](), place }
}

describe('connecting a chat', () => {
  const credentials = { botToken: TOKEN, chat: '@harbour' }

  test('by its name keeps its id', async () => {
    await using api = await openBotApi()
    expect(await telegram.identify({ ...api.place, credentials })).toEqual({
      account: '-1001234',
      username: 'harbour',
      name: 'Harbour',
      avatarUrl: null,
      rules: {},
      secrets: { botToken: TOKEN, chat: '-1001234' },
    })
    expect(api.received.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      [`/bot${TOKEN}/getMe`, {}],
      [`/bot${TOKEN}/getChat`, { chat_id: '@harbour' }],
      [`/bot${TOKEN}/getChatMember`, { chat_id: '-1001234', user_id: 123 }],
    ])
  })

  test('without a name has its id for one', async () => {
    const { username: _, ...chat } = CHAT
    await using api = await openBotApi({ getChat: ok(chat) })
    expect(
      await telegram.identify({ ...api.place, credentials: { botToken: TOKEN, chat: '-1001234' } }),
    ).toMatchObject({ username: '-1001234', name: 'Harbour' })
  })

  test.each([
    ['channel', { status: 'creator' }, true],
    ['channel', { status: 'administrator', can_post_messages: false }, false],
    ['channel', { status: 'member' }, false],
    ['channel', { status: 'left' }, false],
    ['supergroup', { status: 'administrator' }, true],
    ['supergroup', { status: 'member' }, true],
    ['supergroup', { status: 'restricted', can_send_messages: true }, true],
    ['supergroup', { status: 'restricted', can_send_messages: false }, false],
    ['group', { status: 'kicked' }, false],
  ])('that is a %s with the bot as %j: %s', async (type, member, isTaken) => {
    await using api = await openBotApi({
      getChat: ok({ ...CHAT, type }),
      getChatMember: ok(member),
    })
    const asked = telegram.identify({ ...api.place, credentials })
    if (isTaken) expect(await asked).toMatchObject({ account: '-1001234' })
    else await expect(asked).rejects.toMatchObject(REFUSED)
  })

  test.each<[string, Record<string, string>]>([
    ['without a chat', { botToken: TOKEN }],
    ['with a token that is none', { botToken: 'x/../y', chat: '@harbour' }],
    ['with a chat that is none', { botToken: TOKEN, chat: 'harbour/x' }],
    ['with a person', { botToken: TOKEN, chat: '1234' }],
  ])('%s asks nobody', async (_, given) => {
    await using api = await openBotApi()
    await expect(telegram.identify({ ...api.place, credentials: given })).rejects.toMatchObject(
      REFUSED,
    )
    expect(api.received).toEqual([])
  })

  test.each<[string, Answers, object]>([
    ['with the token of nobody', { getMe: no(401, 'Unauthorized') }, REFUSED],
    ['with a malformed token', { getMe: no(404, 'Not Found') }, REFUSED],
    ['that is not there', { getChat: no(400, 'Bad Request: chat not found') }, REFUSED],
    [
      'that has moved',
      { getChat: no(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -1 }) },
      REFUSED,
    ],
    ['of a person', { getChat: ok({ id: 5, type: 'private' }) }, REFUSED],
    [
      'where the bot is not',
      { getChatMember: no(403, 'Forbidden: bot is not a member of the channel chat') },
      REFUSED,
    ],
    ['while Telegram is down', { getMe: { status: 502, body: '' } }, UNAVAILABLE],
    ['while Telegram asks to wait', { getMe: no(429, 'Too Many Requests') }, UNAVAILABLE],
    ['through a proxy that refuses', { getMe: { status: 403, body: '<html>' } }, UNAVAILABLE],
    ['when the answer is no JSON', { getChat: { body: '<html>' } }, UNAVAILABLE],
  ])('%s fails', async (_, answers, expected) => {
    await using api = await openBotApi(answers)
    const failure = await telegram
      .identify({ ...api.place, credentials })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject(expected)
    expect(String(failure)).not.toContain('secret-of-the-bot')
  })
})

describe('the token of the bot', () => {
  const secrets = { botToken: TOKEN, chat: '-1001234' }

  test('is the stored one, without a call', async () => {
    await using api = await openBotApi()
    const fresh = await telegram.freshToken({ ...api.place, secrets, now: 0 })
    expect(fresh).toEqual({ token: TOKEN, expiresAt: null })
    expect(api.received).toEqual([])
  })

  test('is missing without secrets', async () => {
    await using api = await openBotApi()
    await expect(telegram.freshToken({ ...api.place, secrets: {}, now: 0 })).rejects.toMatchObject(
      REFUSED,
    )
  })

  test.each<[string, Answers, object | undefined]>([
    ['is answered again when the bot is in the chat', {}, undefined],
    ['is dead when Telegram says so', { getMe: no(401, 'Unauthorized') }, REFUSED],
    ['is dead when the bot was removed', { getChatMember: ok({ status: 'kicked' }) }, REFUSED],
    [
      'is dead when the chat is closed to the bot',
      { getChatMember: no(403, 'Forbidden: bot was kicked from the channel chat') },
      REFUSED,
    ],
    [
      'is dead when the group moved',
      { getChatMember: no(400, 'Bad Request: upgraded', { migrate_to_chat_id: -1 }) },
      REFUSED,
    ],
    ['is not dead by a word of a proxy', { getMe: { status: 401, body: '<html>' } }, UNAVAILABLE],
    ['is not dead while Telegram is down', { getMe: { status: 500, body: '' } }, UNAVAILABLE],
  ])('that was refused %s', async (_, answers, expected) => {
    await using api = await openBotApi(answers)
    const asked = telegram.freshToken({ ...api.place, secrets, now: 0, deadToken: TOKEN })
    if (expected) await expect(asked).rejects.toMatchObject(expected)
    else expect(await asked).toEqual({ token: TOKEN, expiresAt: null })
  })

  test('that was refused is not answered when nobody listens', async () => {
    const settings = { apiUrl: await closedPort() }
    await expect(
      telegram.freshToken({ baseUrl: '', settings, secrets, now: 0, deadToken: TOKEN }),
    ).rejects.toMatchObject(UNAVAILABLE)
  })
})
