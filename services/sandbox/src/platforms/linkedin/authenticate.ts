import { bearerOf, type Call } from '../../call.ts'
import type { Account } from '../../oauth/state.ts'
import { refuse } from './refusals.ts'
import type { Site } from './site.ts'

/** Versions before this one are closed. */
const OLDEST_VERSION = '202601'

type Caller = { member: Account; scopes: string[] }

/** A call in a member's name. */
export function authenticate({ provider }: Site, call: Call): Caller {
  const token = bearerOf(call)
  if (token === undefined)
    refuse(401, 'EMPTY_ACCESS_TOKEN', 'Empty oauth2 access token', { serviceErrorCode: 65604 })
  const standing = provider.standing(token)
  switch (standing.standing) {
    case 'good':
      return { member: standing.account, scopes: standing.token.scopes }
    case 'expired':
      return refuse(401, 'EXPIRED_ACCESS_TOKEN', 'The token used in the request has expired', {
        serviceErrorCode: 65_602,
      })
    case 'revoked':
      return refuse(
        401,
        'REVOKED_ACCESS_TOKEN',
        'The token used in the request has been revoked by the user',
        { serviceErrorCode: 65_601 },
      )
    case 'unknown':
      return refuse(401, 'INVALID_ACCESS_TOKEN', 'Invalid access token', {
        serviceErrorCode: 65_600,
      })
  }
}

/** A call of a versioned endpoint: it names a version that is open, and the protocol. */
export function authenticateVersioned(site: Site, call: Call): Caller {
  const caller = authenticate(site, call)
  const version = String(call.headers['linkedin-version'] ?? '')
  if (version === '')
    refuse(
      400,
      'VERSION_MISSING',
      'A version must be present. Please specify a version by adding the LinkedIn-Version header.',
    )
  if (!/^20\d\d(0[1-9]|1[0-2])$/.test(version) || version < OLDEST_VERSION)
    refuse(426, 'NONEXISTENT_VERSION', `Requested version ${version} is not active`)
  if (call.headers['x-restli-protocol-version'] !== '2.0.0')
    refuse(400, 'ILLEGAL_ARGUMENT', 'X-Restli-Protocol-Version must be 2.0.0')
  return caller
}

/** Refuses a call without one of the scopes. */
export function requireScope({ scopes }: Caller, anyOf: string[], what: string): void {
  if (!anyOf.some((scope) => scopes.includes(scope))) deny(what)
}

export function deny(what: string): never {
  refuse(403, 'ACCESS_DENIED', `Not enough permissions to access: ${what}`, {
    serviceErrorCode: 100,
  })
}
