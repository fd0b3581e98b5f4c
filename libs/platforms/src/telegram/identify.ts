import { z } from 'zod'
import { ask } from '../ask.ts'
import { readCredentials } from '../credentials.ts'
import {
  ConnectError,
  type FreshToken,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type Settings,
  type TokenInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { oneLine } from '../refusal.ts'
import { methodAddress, type Place } from './api.ts'
import { TELEGRAM_ERRORS } from './errors.ts'

const Credentials = z.strictObject({
  botToken: z
    .string()
    .trim()
    .regex(/^\d{1,20}:[\w-]{10,200}$/, 'is not the token of a bot'),
  chat: z
    .string()
    .trim()
    .regex(/^(@[a-z]\w{1,63}|-\d{1,20})$/i, 'is neither @name nor the id of a channel or group'),
})

const Bot = z.object({ id: z.number() })
const Chat = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string().default(''),
  username: z.string().optional(),
})
const Member = z.object({
  status: z.string(),
  can_post_messages: z.boolean().optional(),
  can_send_messages: z.boolean().optional(),
})

/** A channel or group, and whether the bot may post there. Pictures of chats have the token in their address: none is kept. */
export async function identify(
  { credentials, ...place }: IdentifyInput & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  const { botToken, chat: name } = readCredentials(Credentials, credentials)
  const access = { ...place, token: botToken }
  const bot = await call(access, 'getMe', {}, Bot, deps)
  const chat = await call(access, 'getChat', { chat_id: name }, Chat, deps)
  if (chat.type !== 'channel' && chat.type !== 'group' && chat.type !== 'supergroup')
    throw new ConnectError('refused', 'This is not a channel or group of Telegram.')
  const id = String(chat.id)
  const asked = { chat_id: id, user_id: bot.id }
  const member = await call(access, 'getChatMember', asked, Member, deps)
  if (!mayPost(chat.type, member))
    throw new ConnectError(
      'refused',
      chat.type === 'channel'
        ? 'The bot may not post in the channel. Make it an administrator that may post messages.'
        : 'The bot may not write in the group. Add it, and let it send messages.',
    )
  return {
    account: id,
    username: chat.username ?? id,
    name: chat.title || (chat.username ?? id),
    avatarUrl: null,
    rules: {},
    secrets: { botToken, chat: id },
  }
}

/**
 * The token of the bot, which does not expire. One that was refused is tried on the chat first: it is dead when Telegram
 * says so, and when the bot cannot get at the chat any more.
 */
export async function freshToken(
  { secrets, deadToken, ...place }: TokenInput,
  deps?: HttpDeps,
): Promise<FreshToken> {
  const { botToken: token, chat } = secrets
  if (!token || !chat)
    throw new ConnectError('refused', 'There is no bot for the chat. Connect the channel again.')
  if (token === deadToken) {
    const access = { ...place, token }
    const bot = await call(access, 'getMe', {}, Bot, deps)
    const asked = { chat_id: chat, user_id: bot.id }
    const { status } = await call(access, 'getChatMember', asked, Member, deps)
    if (status === 'left' || status === 'kicked')
      throw new ConnectError('refused', 'The bot is not in the Telegram chat any more.')
  }
  return { token, expiresAt: null }
}

/** In a group everybody may write who is not restricted. */
function mayPost(type: string, member: z.infer<typeof Member>): boolean {
  switch (member.status) {
    case 'creator':
      return true
    case 'administrator':
      return type !== 'channel' || member.can_post_messages === true
    case 'member':
      return type !== 'channel'
    case 'restricted':
      return type !== 'channel' && member.can_send_messages === true
    default:
      return false
  }
}

/** What a method answers. A refusal in Telegram's own form is about the credentials, or the chat in them. */
async function call<T extends z.ZodType>(
  { token, ...place }: Place & { token: string },
  method: string,
  body: Record<string, unknown>,
  schema: T,
  deps?: HttpDeps,
): Promise<z.output<T>> {
  const { status, text } = await ask(
    'Telegram',
    {
      method: 'POST',
      url: methodAddress(place, token, method),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
    deps,
  )
  const answer = readJson(z.object({ ok: z.literal(true), result: z.unknown() }), text)
  const result = schema.safeParse(answer?.result)
  if (status === 200 && result.success) return result.data
  const { code, message = '' } = TELEGRAM_ERRORS.read(text)
  if (code === undefined)
    throw new ConnectError('unavailable', `Telegram answers with status ${status}.`)
  const row = TELEGRAM_ERRORS.rows.find(
    (one) =>
      (one.code ?? code) === code &&
      (one.status ?? status) === status &&
      (one.says?.test(message) ?? true),
  )
  const said = row?.means.message ?? `Telegram refuses: ${oneLine(message)}`
  throw new ConnectError('refused', said)
}
