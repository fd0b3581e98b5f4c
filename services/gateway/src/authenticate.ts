import { AppError } from '@herald/contracts/errors'
import type { Scope } from '@herald/contracts/accounts'
import type { IncomingMessage } from 'node:http'
import { digestOf, isWellFormed } from './api-key.ts'
import type { KeyCache, VerifiedKey } from './key-cache.ts'

const BEARER = /^bearer ([^\s]+)$/i

/**
 * Whose request it is (specification, "Authentication"). A key that is missing, malformed, unknown, revoked or expired
 * gets one and the same answer, so that it tells nothing; after it, an organization without API access is 403.
 */
export async function authenticate(request: IncomingMessage, keys: KeyCache): Promise<VerifiedKey> {
  const key = keyOf(request)
  const found = key === undefined ? undefined : await keys.find(digestOf(key))
  if (!found) throw new AppError('unauthorized', 'The API key is missing or not valid.')
  if (!found.apiAccess)
    throw new AppError('plan_required', 'The plan of this organization has no API access.')
  return found
}

/** Refuses a key without the scope that the endpoint needs. */
export function requireScope({ key }: VerifiedKey, scope: Scope): void {
  if (!key.scopes.includes(scope))
    throw new AppError('forbidden_scope', `This key does not have the scope "${scope}".`)
}

/** The one well-formed key of the request. Node would join or drop a second header, so all are looked at. */
function keyOf({ headersDistinct }: IncomingMessage): string | undefined {
  const [header, second] = headersDistinct.authorization ?? []
  const key = second === undefined && header !== undefined ? BEARER.exec(header)?.[1] : undefined
  return key !== undefined && isWellFormed(key) ? key : undefined
}
