import { type Answer, type Call, jsonAnswer, Refusal } from '../../call.ts'
import type { Part } from '../../ledger.ts'
import { type Form, readForm } from '../../read-form.ts'
import type { World } from '../../stand-in.ts'
import { errorAnswer, forbid, refuse } from './refusals.ts'
import { type Bot, type Chat, type Event, openState, type State } from './state.ts'

/** Telegram: its world and its state. */
export type Telegram = World & Part<State, Event>

export function openTelegram(world: World): Telegram {
  const part = openState(world.ledger)
  return {
    ...world,
    get state() {
      return part.state
    },
    record: part.record,
  }
}

export function success(result: unknown): Answer {
  return jsonAnswer(200, { ok: true, result })
}

/** The bot whose token stands in the address. What does not look like a token is an unknown address. */
export function botOf(telegram: Telegram, { params }: Call): Bot {
  const token = params['token'] ?? ''
  if (!/^\d+:[\w-]+$/.test(token)) throw new Refusal(errorAnswer(404, 'Not Found'))
  const bot = telegram.state.bots.get(token)
  if (!bot || bot.isRevoked) throw new Refusal(errorAnswer(401, 'Unauthorized'))
  return bot
}

/** The parameters of a call: query, form, multipart or JSON. */
export async function formOf(call: Call): Promise<Form> {
  const form = await readForm(call)
  return form ?? refuse("can't parse JSON object")
}

/** The chat that a call names by its id or `@name`, if the bot can find it. */
export function chatOf({ state }: Telegram, bot: Bot, name: unknown): Chat {
  if (name === undefined || name === '') refuse('chat_id is empty')
  const chat = findChat(state, name)
  const isVisible = chat && (chat.username !== null || chat.id === bot.chatId || chat.movedTo)
  return isVisible ? chat : refuse('chat not found')
}

export function findChat({ chats }: State, name: unknown): Chat | undefined {
  const text = String(name)
  return text.startsWith('@')
    ? [...chats.values()].find((chat) => `@${chat.username}`.toLowerCase() === text.toLowerCase())
    : chats.get(Number(text))
}

/** Refuses unless the bot may post in the chat. */
export function requireMember(bot: Bot, chat: Chat): void {
  if (chat.movedTo !== undefined)
    refuse('group chat was upgraded to a supergroup chat', { migrate_to_chat_id: chat.movedTo })
  if (bot.isRemoved) forbid(`bot was kicked from the ${chat.type} chat`)
  if (bot.chatId !== chat.id) forbid(`bot is not a member of the ${chat.type} chat`)
}
