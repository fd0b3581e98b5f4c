import { freeUsername } from '../free-username.ts'
import { randomText } from '../random-text.ts'
import type { World } from '../stand-in.ts'
import { openCodes } from './codes.ts'
import { type Account, openState, type Token } from './state.ts'

/** How one platform does OAuth 2. Lifetimes are in seconds. */
export type ProviderOptions = {
  /** Of the part of the ledger: `X-oauth`. */
  part: string
  /** For people. */
  name: string
  /** Where its page is, below the platform's base address. */
  authorizePath: string
  /** The parameter of the app's id; `client_id` unless given. */
  clientIdName?: string
  /** Between the scopes; a space unless given. */
  scopeSeparator?: ' ' | ','
  /** Whether a challenge must be sent with the request for a code. */
  requiresPkce: boolean
  codeSeconds: number
  /** Null: access tokens do not expire. */
  accessSeconds: number | null
  /** Null: refresh tokens do not expire. Absent: there are none. */
  refreshSeconds?: number | null
  /** Whether a refresh token is good once, and its answer has another. */
  rotates: boolean
  newAccountId: () => string
}

/** What an access token is good for: nobody's, over, ended by its owner, or good. */
export type Standing =
  | { standing: 'unknown' | 'expired' | 'revoked' }
  | { standing: 'good'; token: Token; account: Account }

export type Provider = ReturnType<typeof openProvider>

/** The sandbox has one app on every platform. */
export const APP = { id: 'sandbox-app', secret: 'sandbox-secret' } as const

/** The accounts of a platform and the access they grant to the sandbox's app. Codes end with the process. */
export function openProvider(world: World, options: ProviderOptions) {
  const part = openState(world.ledger, options.part)
  const issue = issuer(world, options, part)
  return {
    options,
    ...accountsOf(world, options, part),
    ...openCodes(world, options.codeSeconds, issue),
    ...tokensOf(world, options, part, issue),
    issue,
  }
}

type Grants = ReturnType<typeof openState>
type Issue = (
  accountId: string,
  scopes: string[],
  refreshToken?: string,
  /** The lifetime of this token, where it is another than the usual. */
  lifeSeconds?: number | null,
) => Token

function issuer(
  world: World,
  { accessSeconds, refreshSeconds }: ProviderOptions,
  part: Grants,
): Issue {
  const expiry = (seconds: number | null) =>
    seconds === null ? null : world.now() + seconds * 1000
  return (accountId, scopes, refreshToken, lifeSeconds = accessSeconds) => {
    const token: Token = {
      accessToken: randomText(),
      refreshToken: refreshSeconds === undefined ? null : (refreshToken ?? randomText()),
      accountId,
      scopes,
      issuedAt: world.now(),
      expiresAt: expiry(lifeSeconds),
      refreshExpiresAt: expiry(refreshSeconds ?? null),
    }
    part.record({ type: 'token-issued', token })
    return token
  }
}

function accountsOf(world: World, { newAccountId }: ProviderOptions, part: Grants) {
  const accounts = (): Account[] => [...part.state.accounts.values()]
  return {
    accounts,
    account: (id: string): Account | undefined => part.state.accounts.get(id),
    /** The account with this name, made if there is none. */
    accountNamed: (given: string | undefined): Account => {
      const username = given ?? freeUsername(accounts().map((one) => one.username))
      const existing = accounts().find((one) => one.username === username)
      const account = existing ?? { id: newAccountId(), username, createdAt: world.now() }
      if (!existing) part.record({ type: 'account-made', account })
      return account
    },
  }
}

function tokensOf(world: World, { rotates }: ProviderOptions, part: Grants, issue: Issue) {
  const isPast = (at: number | null) => at !== null && at <= world.now()
  const tokens = (): Token[] => [...part.state.tokens.values()]
  const change = (
    which: (token: Token) => boolean,
    to: 'isRevoked' | 'isExpired' | 'isRotated',
  ): boolean => {
    const accessTokens = tokens()
      .filter(which)
      .map(({ accessToken }) => accessToken)
    if (accessTokens.length === 0) return false
    part.record({ type: 'tokens-changed', accessTokens, to })
    return true
  }
  return {
    /** A new token for a refresh token; undefined when that is unknown, used up, expired or revoked. */
    refresh: (refreshToken: string): Token | undefined => {
      const old = tokens().findLast((token) => token.refreshToken === refreshToken)
      if (!old || old.isRevoked || old.isRotated || isPast(old.refreshExpiresAt)) return undefined
      const renewed = issue(old.accountId, old.scopes, rotates ? undefined : refreshToken)
      if (rotates) change((token) => token.accessToken === old.accessToken, 'isRotated')
      return renewed
    },
    standing: (accessToken: string | undefined): Standing => {
      const token = part.state.tokens.get(accessToken ?? '')
      const account = token && part.state.accounts.get(token.accountId)
      if (!token || !account) return { standing: 'unknown' }
      if (token.isRevoked) return { standing: 'revoked' }
      if (token.isExpired || isPast(token.expiresAt)) return { standing: 'expired' }
      return { standing: 'good', token, account }
    },
    /** The access token is over; its refresh token still works. */
    expire: (accessToken: string | undefined): void => {
      change((token) => token.accessToken === accessToken, 'isExpired')
    },
    /** Every grant of the account is over. */
    revoke: (accountId: string): void => {
      change((token) => token.accountId === accountId, 'isRevoked')
    },
    /** One grant is over, named by its access or refresh token. Answers whether there was one. */
    revokeToken: (name: string): boolean =>
      change((token) => token.accessToken === name || token.refreshToken === name, 'isRevoked'),
  }
}
