import type { Answer, Call } from '../call.ts'
import type { Provider } from '../oauth/provider.ts'
import type { Account, Token } from '../oauth/state.ts'
import { graphError, refuse, refuseUnknown } from './errors.ts'
import { fieldsOf } from './fields.ts'

/** The token of a call: a header with `Bearer` or `OAuth`, or the parameter `access_token`. */
export function tokenOf(call: Call): string | undefined {
  const header = /^(?:Bearer|OAuth) +(\S+)$/i.exec(call.headers.authorization ?? '')?.[1]
  return header ?? fieldsOf(call)['access_token']
}

/** Whose token a call carries, good or not. */
export function callerOf(provider: Provider, call: Call): string | undefined {
  const standing = provider.standing(tokenOf(call))
  return standing.standing === 'good' ? standing.account.id : undefined
}

/** The account in whose name a call is made, and which has granted these permissions. */
export function authenticate(
  provider: Provider,
  call: Call,
  permissions: string[],
): { account: Account; token: Token } {
  const standing = provider.standing(tokenOf(call))
  switch (standing.standing) {
    case 'unknown':
      return refuseToken('Invalid OAuth access token - Cannot parse access token')
    case 'expired':
      return refuseToken(EXPIRED.message, EXPIRED.subcode)
    case 'revoked':
      return refuseToken(
        'Error validating access token: The user has not authorized application.',
        458,
      )
    case 'good': {
      const { token, account } = standing
      const missing = permissions.find((permission) => !token.scopes.includes(permission))
      if (missing !== undefined)
        refuse({
          status: 403,
          message: `(#10) Application does not have permission for this action: ${missing}`,
          code: 10,
        })
      return { token, account }
    }
  }
}

/** The caller's account, which is the one in the path or `me`. */
export function ownAccount(provider: Provider, call: Call, permissions: string[]): Account {
  const { account } = authenticate(provider, call, permissions)
  const id = call.params['user'] ?? ''
  if (id !== 'me' && id !== account.id) refuseUnknown(id)
  return account
}

export function refuseToken(message: string, subcode?: number): never {
  refuse({ status: 401, message, code: 190, ...(subcode !== undefined && { subcode }) })
}

/** Makes a call's token unusable, and answers what is said then. */
export function expire(provider: Provider, call: Call): Answer {
  provider.expire(tokenOf(call))
  return graphError({ ...EXPIRED, status: 401, code: 190 })
}

const EXPIRED = { message: 'Error validating access token: Session has expired.', subcode: 463 }
