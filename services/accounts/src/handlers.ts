import type { accounts, ManagedKey } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { Handlers } from '@herald/contracts/rpc'
import { handle, type EventStore } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { checkProjections, rebuildProjections } from '@herald/event-store/rebuild'
import type { Rider } from '@herald/event-store/append'
import { digestOf, hashOf, mintKey, prefixOf } from './api-key.ts'
import type { Plans } from './plans.ts'
import * as queries from './queries.ts'
import { keyStream, organizationStream } from './streams.ts'

export type Deps = {
  store: EventStore
  plans: Plans
  /** The secret that hashes of keys are made with; it is not in the database. */
  pepper: Buffer
  /** The database's time in milliseconds since 1970. */
  now: () => number
}

const STREAMS = [organizationStream, keyStream]
const OPERATOR = 'operator'

/** What the accounts service answers. */
export function accountsHandlers(deps: Deps): Handlers<typeof accounts> {
  const { store, plans, pepper } = deps
  const { pool } = store
  return {
    async verifyKey({ keyDigest }) {
      const found = await queries.findLiveKey(pool, hashOf(keyDigest, pepper))
      if (!found) throw new AppError('unauthorized', 'The API key is missing or not valid.')
      const { name, prefix, scopes, channels } = found
      return {
        keyId: found.id,
        organization: { id: found.organization_id, name: found.organization_name, plan: found.plan },
        apiAccess: plans[found.plan].apiAccess,
        key: { name, prefix, scopes, channels, expiresAt: found.expires_at },
      }
    },

    async createOrganization({ name, plan }) {
      const id = newId('organization', deps.now())
      const now = new Date(deps.now()).toISOString()
      await handle(store, organizationStream, id, { type: 'CreateOrganization', name, plan, now }, {
        organizationId: id,
        meta: metaOf(OPERATOR),
        isNew: true,
      })
      return { id, name, plan }
    },

    listOrganizations: async () => ({ data: await queries.listOrganizations(pool) }),

    async setPlan({ organizationId, plan }) {
      await handle(store, organizationStream, organizationId, { type: 'ChangePlan', plan }, {
        organizationId,
        meta: metaOf(OPERATOR),
      })
      const { name } = await requireOrganization(deps, organizationId)
      return { id: organizationId, name, plan }
    },

    createKey: (input) => createKey(deps, input),

    listKeys: async ({ organizationId }) => ({
      data: (await queries.listKeys(pool, organizationId)).map(toManagedKey),
    }),

    async revokeKey({ keyId }) {
      const found = await requireKey(deps, keyId)
      const now = new Date(deps.now()).toISOString()
      await handle(store, keyStream, keyId, { type: 'RevokeKey', now }, {
        organizationId: found.organization_id,
        meta: metaOf(OPERATOR),
      })
      return toManagedKey(await requireKey(deps, keyId))
    },

    checkProjections: () => checkProjections(pool, STREAMS),
    rebuildProjections: () => rebuildProjections(pool, STREAMS),
  }
}

async function createKey(
  deps: Deps,
  input: Parameters<Handlers<typeof accounts>['createKey']>[0],
): Promise<ManagedKey & { secret: string }> {
  const { organizationId, name, scopes, channels, expiresAt } = input
  await requireOrganization(deps, organizationId)
  const secret = mintKey()
  const id = newId('key', deps.now())
  const createdAt = new Date(deps.now()).toISOString()
  const facts = { organizationId, name, prefix: prefixOf(secret), scopes, channels, expiresAt, createdAt }
  await handle(deps.store, keyStream, id, { type: 'CreateKey', ...facts }, {
    organizationId,
    meta: metaOf(OPERATOR),
    isNew: true,
    riders: [storeHash(hashOf(digestOf(secret), deps.pepper), id)],
  })
  return { id, ...facts, revokedAt: null, secret }
}

function storeHash(hash: string, keyId: string): Rider {
  return {
    name: 'store_hash',
    sql: 'insert into key_hashes (hash, key_id) values ($1, $2)',
    values: [hash, keyId],
  }
}

async function requireOrganization({ store }: Deps, id: string) {
  const found = await queries.findOrganization(store.pool, id)
  if (!found) throw new AppError('not_found', 'There is no such organization.')
  return found
}

async function requireKey({ store }: Deps, id: string) {
  const found = await queries.findKey(store.pool, id)
  if (!found) throw new AppError('not_found', 'There is no such key.')
  return found
}

function toManagedKey(row: queries.KeyRow): ManagedKey {
  const { id, name, prefix, scopes, channels } = row
  return {
    ...{ id, name, prefix, scopes, channels },
    organizationId: row.organization_id,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  }
}
