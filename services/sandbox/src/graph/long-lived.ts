import { type Answer, type Call, jsonAnswer } from '../call.ts'
import { authorizeOperations } from '../oauth/authorize-page.ts'
import { APP, type Provider } from '../oauth/provider.ts'
import type { Token } from '../oauth/state.ts'
import type { NewAccount, Operation, World } from '../stand-in.ts'
import { refuseToken, tokenOf } from './access.ts'
import { refuse, refuseParameter } from './errors.ts'
import { fieldsOf } from './fields.ts'

const DAY_MS = 86_400_000
const LONG_SECONDS = 60 * 86_400

/** Of Threads: `th_exchange_token` and `th_refresh_token`. */
export type GrantNames = { exchange: string; refresh: string }

/**
 * The operations by which Threads and Instagram give access: the page where a person grants it, and the exchange of a code,
 * of a short token and of a long one. `viewOfToken` makes the answer to a code.
 */
export function longLivedOperations(
  world: World,
  provider: Provider,
  names: GrantNames,
  viewOfToken: (token: Token) => Record<string, unknown>,
): Operation[] {
  return [
    ...authorizeOperations(world, provider),
    {
      method: 'post',
      path: '/oauth/access_token',
      kind: 'auth',
      accountOf: (call) => provider.ownerOf(fieldsOf(call)['code'] ?? ''),
      handle: (call) => exchangeCode(provider, call, viewOfToken),
    },
    {
      method: 'get',
      path: '/access_token',
      kind: 'auth',
      handle: (call) => exchangeToken(provider, names, call),
    },
    {
      method: 'get',
      path: '/refresh_access_token',
      kind: 'auth',
      handle: (call) => refreshToken(world, provider, names, call),
    },
  ]
}

/** A new grant of an account, with a token of 60 days. */
export function newLongLived(
  provider: Provider,
  scopes: string[],
  username: string | undefined,
): NewAccount {
  const account = provider.accountNamed(username)
  const token = issueLong(provider, { accountId: account.id, scopes })
  return {
    account: account.id,
    credentials: { accessToken: token.accessToken, expiresAt: String(token.expiresAt) },
  }
}

/** `POST /oauth/access_token`: a token of an hour for a code. */
function exchangeCode(
  provider: Provider,
  call: Call,
  view: (token: Token) => Record<string, unknown>,
): Answer {
  const fields = fieldsOf(call)
  requireApp(fields)
  if (fields['grant_type'] !== 'authorization_code') refuseParameter('Invalid grant_type')
  const token = provider.exchange({
    code: fields['code'] ?? '',
    redirectUri: fields['redirect_uri'] ?? '',
  })
  if (!token)
    return jsonAnswer(400, {
      error_type: 'OAuthException',
      code: 400,
      error_message: 'Invalid authorization code',
    })
  return jsonAnswer(200, view(token))
}

function requireApp(fields: Record<string, string>): void {
  if (fields['client_id'] !== APP.id)
    refuse({ message: 'Error validating application. Invalid application ID.', code: 101 })
  requireSecret(fields)
}

function requireSecret(fields: Record<string, string>): void {
  if (fields['client_secret'] !== APP.secret)
    refuse({ message: 'Error validating client secret.', code: 1 })
}

/** `GET /access_token`: a token of 60 days for one of an hour. */
function exchangeToken(provider: Provider, names: GrantNames, call: Call): Answer {
  const fields = fieldsOf(call)
  if (fields['grant_type'] !== names.exchange) refuseParameter('Invalid grant_type')
  requireSecret(fields)
  return answer(issueLong(provider, goodToken(provider, call)))
}

/** `GET /refresh_access_token`: 60 more days for a token that is a day old and not yet expired. */
function refreshToken(world: World, provider: Provider, names: GrantNames, call: Call): Answer {
  if (fieldsOf(call)['grant_type'] !== names.refresh) refuseParameter('Invalid grant_type')
  const token = goodToken(provider, call)
  if (world.now() - token.issuedAt < DAY_MS)
    refuseParameter('The access token is not 24 hours old yet')
  return answer(issueLong(provider, token))
}

function goodToken(provider: Provider, call: Call): Token {
  const standing = provider.standing(tokenOf(call))
  if (standing.standing === 'good') return standing.token
  if (standing.standing === 'expired')
    refuseToken('Error validating access token: Session has expired.', 463)
  refuseToken('Invalid OAuth access token - Cannot parse access token')
}

/** A token of 60 days. The one that it is given for stays good until its own end. */
function issueLong(provider: Provider, { accountId, scopes }: Pick<Token, 'accountId' | 'scopes'>) {
  return provider.issue(accountId, scopes, undefined, LONG_SECONDS)
}

function answer({ accessToken }: Token): Answer {
  return jsonAnswer(200, {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: LONG_SECONDS,
  })
}
