import { bearerOf, type Call } from '../../call.ts'
import type { Account } from '../../oauth/state.ts'
import { refuse } from './refusals.ts'
import type { Pinterest } from './server.ts'

/** Whose token a call carries, if it is good and has all of the scopes. */
export function authenticate({ provider }: Pinterest, call: Call, ...scopes: string[]): Account {
  const standing = provider.standing(bearerOf(call))
  if (standing.standing !== 'good') refuse(401, 2, 'Authentication failed.')
  if (!scopes.every((scope) => standing.token.scopes.includes(scope)))
    refuse(403, 29, 'You are not permitted to access that resource.')
  return standing.account
}
