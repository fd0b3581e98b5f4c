import type { accounts } from '@herald/contracts/accounts'
import type { Client } from '@herald/contracts/rpc'

type Verified = Awaited<ReturnType<Client<typeof accounts>['verifyKey']>>

/** Who calls: what accounts said about the key, in the form the handlers need. */
export type Session = Pick<Verified, 'keyId' | 'organization' | 'key' | 'apiAccess'> & {
  caller: { organizationId: string; channels: Verified['key']['channels']; actor: string }
  /** Milliseconds since 1970; infinite for a key that does not expire. */
  expiresAt: number
}

/** Computed once per look-up, not once per request. */
export function sessionOf({ keyId, organization, key, apiAccess }: Verified): Session {
  const { channels, expiresAt } = key
  return {
    keyId,
    organization,
    key,
    apiAccess,
    caller: { organizationId: organization.id, channels, actor: `key:${keyId}` },
    expiresAt: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
  }
}
