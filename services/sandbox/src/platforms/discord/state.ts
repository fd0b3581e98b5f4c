import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

export const Channel = z.object({
  id: z.string(),
  guildId: z.string(),
  /** 0 text, 2 voice, 4 category, 5 announcement. */
  type: z.number(),
  name: z.string(),
  position: z.number(),
})
export type Channel = z.infer<typeof Channel>

export const Webhook = z.object({
  id: z.string(),
  token: z.string(),
  channelId: z.string(),
  guildId: z.string(),
  name: z.string(),
})
export type Webhook = z.infer<typeof Webhook>

export const Attachment = z.object({
  id: z.string(),
  fileName: z.string(),
  description: z.string().nullable(),
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
})
export type Attachment = z.infer<typeof Attachment>

export const Message = z.object({
  id: z.string(),
  channelId: z.string(),
  guildId: z.string(),
  /** The webhook that wrote it; null for the bot. */
  webhookId: z.string().nullable(),
  content: z.string(),
  flags: z.number(),
  nonce: z.string().nullable(),
  attachments: z.array(Attachment),
  /** Milliseconds since 1970. */
  at: z.number(),
})
export type Message = z.infer<typeof Message>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('channels-made'), channels: z.array(Channel) }),
  z.object({ type: z.literal('bot-added'), guildId: z.string() }),
  z.object({ type: z.literal('bot-removed'), guildId: z.string() }),
  z.object({ type: z.literal('webhook-made'), webhook: Webhook }),
  z.object({ type: z.literal('webhook-deleted'), id: z.string() }),
  z.object({ type: z.literal('message-posted'), message: Message }),
])
export type Event = z.infer<typeof Event>

export type State = {
  channels: Map<string, Channel>
  /** The guilds where the bot is. */
  botGuilds: Set<string>
  webhooks: Map<string, Webhook>
  /** Oldest first. */
  messages: Map<string, Message>
  /** The latest message of the bot with a nonce. */
  byNonce: Map<string, Message>
  lastId: bigint
}

/** All that Discord knows but for who granted what, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({ name: 'DISCORD', schema: Event, empty, apply })
}

function empty(): State {
  return {
    channels: new Map(),
    botGuilds: new Set(),
    webhooks: new Map(),
    messages: new Map(),
    byNonce: new Map(),
    lastId: 0n,
  }
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'channels-made':
      for (const channel of event.channels) {
        state.channels.set(channel.id, channel)
        noteId(state, channel.id)
      }
      return
    case 'bot-added':
      return void state.botGuilds.add(event.guildId)
    case 'bot-removed':
      return void state.botGuilds.delete(event.guildId)
    case 'webhook-made':
      state.webhooks.set(event.webhook.id, event.webhook)
      return noteId(state, event.webhook.id)
    case 'webhook-deleted':
      return void state.webhooks.delete(event.id)
    case 'message-posted': {
      const { message } = event
      state.messages.set(message.id, message)
      if (message.nonce !== null) state.byNonce.set(message.nonce, message)
      for (const { id } of [message, ...message.attachments]) noteId(state, id)
    }
  }
}

function noteId(state: State, id: string): void {
  if (BigInt(id) > state.lastId) state.lastId = BigInt(id)
}
