import { bearerOf, type Call } from '../../call.ts'
import type { Account } from '../../oauth/state.ts'
import { refuse } from './refusals.ts'
import type { Reddit } from './server.ts'

/** Whose token a call carries, if it is good and has the scope. */
export function authenticate({ provider }: Reddit, call: Call, scope: string): Account {
  const standing = provider.standing(bearerOf(call))
  if (standing.standing !== 'good')
    refuse(401, {
      headers: { 'www-authenticate': 'Bearer realm="reddit", error="invalid_token"' },
    })
  if (!standing.token.scopes.includes(scope))
    refuse(403, {
      headers: { 'www-authenticate': 'Bearer realm="reddit", error="insufficient_scope"' },
    })
  return standing.account
}
