import type { accounts } from '@herald/contracts/accounts'
import type { Handlers } from '@herald/contracts/rpc'
import { checkProjections, rebuildProjections } from '@herald/event-store/rebuild'
import type { Deps } from './deps.ts'
import { createKey, revokeKey, toManagedKey, verifyKey } from './keys.ts'
import { createOrganization, limitsOf, setPlan } from './organizations.ts'
import { listKeys, listOrganizations } from './queries.ts'
import { keyStream, organizationStream } from './streams.ts'

/** Every type of stream that the service has. */
export const ACCOUNT_STREAMS = [organizationStream, keyStream]

/** What the accounts service answers. */
export function accountsHandlers(deps: Deps): Handlers<typeof accounts> {
  const { pool } = deps.store
  return {
    verifyKey: (input) => verifyKey(deps, input),
    createOrganization: (input) => createOrganization(deps, input),
    listOrganizations: async () => ({ data: await listOrganizations(pool) }),
    limitsOf: (input) => limitsOf(deps, input),
    setPlan: (input) => setPlan(deps, input),
    createKey: (input) => createKey(deps, input),
    listKeys: async ({ organizationId }) => ({
      data: (await listKeys(pool, organizationId)).map(toManagedKey),
    }),
    revokeKey: (input) => revokeKey(deps, input),
    checkProjections: () => checkProjections(pool, ACCOUNT_STREAMS),
    rebuildProjections: () => rebuildProjections(pool, ACCOUNT_STREAMS),
  }
}
