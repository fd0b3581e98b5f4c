import { bearerOf, type Call, Refusal } from '../../call.ts'
import type { Account } from '../../oauth/state.ts'
import { refuse, unauthenticated } from './refusals.ts'
import type { Youtube } from './server.ts'

const SCOPE = 'https://www.googleapis.com/auth/youtube'

/** Whose token a call carries, if it is good and has one of the scopes below `auth/youtube`. */
export function authenticate({ provider }: Youtube, call: Call, scopes: string[]): Account {
  const standing = provider.standing(bearerOf(call))
  if (standing.standing !== 'good') throw new Refusal(unauthenticated())
  const accepted = [SCOPE, ...scopes.map((scope) => `${SCOPE}.${scope}`)]
  if (!standing.token.scopes.some((scope) => accepted.includes(scope)))
    refuse(403, 'insufficientPermissions', {
      message: 'Request had insufficient authentication scopes.',
      status: 'PERMISSION_DENIED',
    })
  return standing.account
}
