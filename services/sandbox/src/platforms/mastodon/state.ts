import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

export const Account = z.object({ id: z.string(), username: z.string(), createdAt: z.string() })
export type Account = z.infer<typeof Account>

export const App = z.object({
  id: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  name: z.string(),
  website: z.string().nullable(),
  redirectUris: z.array(z.string()),
  scopes: z.array(z.string()),
})
export type App = z.infer<typeof App>

export const Token = z.object({
  token: z.string(),
  /** Null for tokens of the control API, which belong to no app. */
  appId: z.string().nullable(),
  /** Null for a token of an app alone. */
  accountId: z.string().nullable(),
  scopes: z.array(z.string()),
})
export type Token = z.infer<typeof Token> & { isRevoked?: boolean }

export const Media = z.object({
  id: z.string(),
  accountId: z.string(),
  type: z.enum(['image', 'gifv', 'video', 'audio']),
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  description: z.string().nullable(),
  /** When it is processed, milliseconds since 1970. */
  readyAt: z.number(),
  /** Whether the instance finds then that it cannot be processed. */
  isBroken: z.boolean().default(false),
})
export type Media = z.infer<typeof Media> & { statusId?: string }

export const Visibility = z.enum(['public', 'unlisted', 'private', 'direct'])

export const Status = z.object({
  id: z.string(),
  accountId: z.string(),
  appId: z.string().nullable(),
  text: z.string(),
  spoilerText: z.string(),
  visibility: Visibility,
  sensitive: z.boolean(),
  language: z.string().nullable(),
  inReplyToId: z.string().nullable(),
  mediaIds: z.array(z.string()),
  idempotencyKey: z.string().nullable(),
  createdAt: z.string(),
})
export type Status = z.infer<typeof Status>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('account-made'), account: Account }),
  z.object({ type: z.literal('app-registered'), app: App }),
  z.object({ type: z.literal('token-issued'), token: Token }),
  z.object({ type: z.literal('tokens-revoked'), tokens: z.array(z.string()) }),
  z.object({ type: z.literal('media-uploaded'), media: Media }),
  z.object({
    type: z.literal('media-described'),
    id: z.string(),
    description: z.string().nullable(),
  }),
  z.object({ type: z.literal('status-posted'), status: Status }),
])
export type Event = z.infer<typeof Event>

export type State = {
  accounts: Map<string, Account>
  apps: Map<string, App>
  tokens: Map<string, Token>
  media: Map<string, Media>
  statuses: Map<string, Status>
  /** The latest status of an account's idempotency key. */
  byKey: Map<string, Status>
  lastId: bigint
}

/** All that an instance knows, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({ name: 'MASTODON', schema: Event, empty, apply })
}

function empty(): State {
  return {
    accounts: new Map(),
    apps: new Map(),
    tokens: new Map(),
    media: new Map(),
    statuses: new Map(),
    byKey: new Map(),
    lastId: 0n,
  }
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'account-made':
      return add(state, state.accounts, event.account)
    case 'app-registered':
      return add(state, state.apps, event.app)
    case 'token-issued':
      return void state.tokens.set(event.token.token, { ...event.token })
    case 'tokens-revoked':
      for (const token of event.tokens) change(state.tokens, token, { isRevoked: true })
      return
    case 'media-uploaded':
      return add(state, state.media, event.media)
    case 'media-described':
      return change(state.media, event.id, { description: event.description })
    case 'status-posted': {
      const { status } = event
      add(state, state.statuses, status)
      for (const id of status.mediaIds) change(state.media, id, { statusId: status.id })
      if (status.idempotencyKey !== null) state.byKey.set(keyOf(status), status)
    }
  }
}

/** Under what an account's idempotency key is found. */
export function keyOf(of: { accountId: string; idempotencyKey: string | null }): string {
  return `${of.accountId}:${of.idempotencyKey}`
}

function add<Item extends { id: string }>(state: State, to: Map<string, Item>, item: Item): void {
  to.set(item.id, item)
  if (BigInt(item.id) > state.lastId) state.lastId = BigInt(item.id)
}

function change<Item>(of: Map<string, Item>, id: string, changes: Partial<Item>): void {
  const item = of.get(id)
  if (item) of.set(id, { ...item, ...changes })
}
