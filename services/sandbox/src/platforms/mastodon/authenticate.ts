import { bearerOf, type Call } from '../../call.ts'
import type { Instance } from './instance.ts'
import { refuse } from './refusals.ts'
import type { Account, Token } from './state.ts'

/** A call with a token that has one of the scopes. */
export function authenticate(instance: Instance, call: Call, scopes: string[]): Token {
  const token = instance.state.tokens.get(bearerOf(call) ?? '')
  if (!token) refuse(401, 'The access token is invalid')
  if (token.isRevoked) refuse(401, 'The access token was revoked')
  if (!scopes.some((scope) => covers(token.scopes, scope)))
    refuse(403, 'This action is outside the authorized scopes')
  return token
}

/** A call in an account's name. */
export function authenticateAccount(
  instance: Instance,
  call: Call,
  scopes: string[],
): { account: Account; token: Token } {
  const token = authenticate(instance, call, scopes)
  const account = instance.state.accounts.get(token.accountId ?? '')
  if (!account) refuse(422, 'This method requires an authenticated user')
  return { account, token }
}

/** Reading what is public needs no token; but one that is given must be good and have the scope. */
export function authenticateIfGiven(
  instance: Instance,
  call: Call,
  scopes: string[],
): Token | undefined {
  return call.headers.authorization === undefined ? undefined : authenticate(instance, call, scopes)
}

/** `write` covers `write:statuses`. */
export function covers(granted: readonly string[], scope: string): boolean {
  return granted.includes(scope) || granted.includes(scope.split(':')[0] ?? '')
}
