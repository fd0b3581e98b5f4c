import { z } from 'zod'
import type { Ledger, Part } from '../ledger.ts'

/** A person or page of a platform, as far as granting access goes. */
export const Account = z.object({
  /** The platform's own id of it. */
  id: z.string(),
  username: z.string(),
  /** Milliseconds since 1970. */
  createdAt: z.number(),
})
export type Account = z.infer<typeof Account>

/** Access that an account granted to the sandbox's app. Times in milliseconds since 1970, null for never. */
export const Token = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  accountId: z.string(),
  scopes: z.array(z.string()),
  issuedAt: z.number(),
  expiresAt: z.number().nullable(),
  refreshExpiresAt: z.number().nullable(),
})
export type Token = z.infer<typeof Token> & {
  /** Nobody can use it or renew it. */
  isRevoked?: boolean
  /** It cannot be used any more, but renewed. */
  isExpired?: boolean
  /** Its refresh token was used, and another one given for it. */
  isRotated?: boolean
}

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('account-made'), account: Account }),
  z.object({ type: z.literal('token-issued'), token: Token }),
  z.object({
    type: z.literal('tokens-changed'),
    accessTokens: z.array(z.string()),
    to: z.enum(['isRevoked', 'isExpired', 'isRotated']),
  }),
])
type Event = z.infer<typeof Event>

export type State = { accounts: Map<string, Account>; tokens: Map<string, Token> }

/** The accounts and grants of one platform, kept in the ledger. */
export function openState(ledger: Ledger, name: string): Part<State, Event> {
  return ledger.part({
    name,
    schema: Event,
    empty: () => ({ accounts: new Map(), tokens: new Map() }),
    apply,
  })
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'account-made':
      return void state.accounts.set(event.account.id, event.account)
    case 'token-issued':
      return void state.tokens.set(event.token.accessToken, { ...event.token })
    case 'tokens-changed':
      for (const name of event.accessTokens) {
        const token = state.tokens.get(name)
        if (token) state.tokens.set(name, { ...token, [event.to]: true })
      }
  }
}
