import { bearerOf, type Call, Refusal } from '../../call.ts'
import type { Account } from '../../oauth/state.ts'
import { forbid, problemAnswer } from './refusals.ts'
import type { Site } from './site.ts'

/** A call in an account's name, with a token that has all of the scopes. */
export function authenticate({ provider }: Site, call: Call, scopes: string[]): Account {
  const standing = provider.standing(bearerOf(call))
  if (standing.standing !== 'good') throw new Refusal(unauthorized())
  const missing = scopes.find((scope) => !standing.token.scopes.includes(scope))
  if (missing !== undefined)
    forbid(`Your token has not the OAuth 2.0 permission for this: the scope ${missing}.`)
  return standing.account
}

export function unauthorized() {
  return problemAnswer(401, 'Unauthorized', 'Unauthorized')
}
