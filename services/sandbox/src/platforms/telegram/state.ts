import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

export const Chat = z.object({
  id: z.number(),
  type: z.enum(['channel', 'group', 'supergroup']),
  title: z.string(),
  /** Null for a chat that only its members see. */
  username: z.string().nullable(),
})
export type Chat = z.infer<typeof Chat> & {
  /** The supergroup that a group has become. */
  movedTo?: number
}

export const Bot = z.object({
  id: z.number(),
  token: z.string(),
  username: z.string(),
  /** The chat where it may post. */
  chatId: z.number(),
})
export type Bot = z.infer<typeof Bot> & { isRevoked?: boolean; isRemoved?: boolean }

export const SentFile = z.object({
  fileId: z.string(),
  kind: z.enum(['photo', 'video', 'animation', 'document']),
  fileName: z.string(),
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
})
export type SentFile = z.infer<typeof SentFile>

export const Entity = z.object({
  type: z.string(),
  /** In UTF-16 units. */
  offset: z.number(),
  length: z.number(),
  url: z.string().optional(),
  language: z.string().optional(),
})
export type Entity = z.infer<typeof Entity>

export const Message = z.object({
  id: z.number(),
  chatId: z.number(),
  botId: z.number(),
  text: z.string(),
  entities: z.array(Entity),
  file: SentFile.nullable(),
  /** What the messages of one album have in common. */
  album: z.string().nullable(),
  isProtected: z.boolean(),
  isSilent: z.boolean(),
  hasPreview: z.boolean(),
  /** Unix seconds. */
  date: z.number(),
})
export type Message = z.infer<typeof Message>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('chat-made'), chat: Chat }),
  z.object({ type: z.literal('bot-added'), bot: Bot }),
  z.object({ type: z.literal('bots-revoked'), tokens: z.array(z.string()) }),
  z.object({ type: z.literal('bot-removed'), token: z.string() }),
  z.object({ type: z.literal('group-moved'), from: z.number(), to: z.number() }),
  z.object({ type: z.literal('messages-sent'), messages: z.array(Message) }),
])
export type Event = z.infer<typeof Event>

export type State = {
  chats: Map<number, Chat>
  /** By token. */
  bots: Map<string, Bot>
  /** Oldest first. */
  messages: Message[]
}

/** All that Telegram knows, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({
    name: 'TELEGRAM',
    schema: Event,
    empty: (): State => ({ chats: new Map(), bots: new Map(), messages: [] }),
    apply,
  })
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'chat-made':
      return void state.chats.set(event.chat.id, event.chat)
    case 'bot-added':
      return void state.bots.set(event.bot.token, event.bot)
    case 'bots-revoked':
      for (const token of event.tokens) change(state, token, { isRevoked: true })
      return
    case 'bot-removed':
      return change(state, event.token, { isRemoved: true })
    case 'group-moved': {
      const chat = state.chats.get(event.from)
      if (!chat) return
      state.chats.set(event.from, { ...chat, movedTo: event.to })
      state.chats.set(event.to, { ...chat, id: event.to, type: 'supergroup' })
      for (const bot of state.bots.values())
        if (bot.chatId === event.from) change(state, bot.token, { chatId: event.to })
      return
    }
    case 'messages-sent':
      state.messages.push(...event.messages)
  }
}

function change({ bots }: State, token: string, changes: Partial<Bot>): void {
  const bot = bots.get(token)
  if (bot) bots.set(token, { ...bot, ...changes })
}
