import type { accounts, ManagedKey } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { Handlers } from '@herald/contracts/rpc'
import type { Rider } from '@herald/event-store/append'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { digestOf, hashOf, mintKey, prefixOf } from './api-key.ts'
import type { Deps } from './deps.ts'
import { noteUse } from './key-use.ts'
import { requireOrganization } from './organizations.ts'
import type { VersionedSecret } from '@herald/service/versioned-secrets'
import { findKey, findLiveKey, type KeyRow } from './queries.ts'
import { keyStream } from './streams.ts'

type Accounts = Handlers<typeof accounts>

/** Whose key it is. A key that is unknown, revoked or expired gets one and the same refusal, which so tells nothing. */
export async function verifyKey(
  deps: Deps,
  { keyDigest }: { keyDigest: string },
): ReturnType<Accounts['verifyKey']> {
  const { store, plans, peppers } = deps
  const hashes = peppers.map(({ version, secret }) => ({
    version,
    hash: hashOf(keyDigest, secret),
  }))
  const found = await findLiveKey(store.pool, hashes)
  if (!found) throw new AppError('unauthorized', 'The API key is missing or not valid.')
  noteUse(deps, found, keyDigest)
  const { name, prefix, scopes, channels, plan } = found
  return {
    keyId: found.id,
    organization: { id: found.organization_id, name: found.organization_name, plan },
    apiAccess: plans[plan].apiAccess,
    key: { name, prefix, scopes, channels, expiresAt: found.expires_at },
  }
}

/** Makes a key. The answer is the only place where all of it ever stands. */
export async function createKey(
  deps: Deps,
  input: Parameters<Accounts['createKey']>[0],
): ReturnType<Accounts['createKey']> {
  const { organizationId, name, scopes, channels, expiresAt } = input
  await requireOrganization(deps, organizationId)
  const secret = mintKey()
  const [pepper] = deps.peppers
  const at = deps.now()
  const id = newId('key', at)
  const facts = {
    organizationId,
    name,
    scopes,
    channels,
    expiresAt,
    prefix: prefixOf(secret),
    createdAt: new Date(at).toISOString(),
  }
  await handle(
    deps.store,
    keyStream,
    id,
    { type: 'CreateKey', ...facts },
    {
      organizationId,
      meta: metaOf('operator'),
      isNew: true,
      riders: [storeHash(hashOf(digestOf(secret), pepper.secret), { id, organizationId, pepper })],
    },
  )
  const pepperVersion = pepper.version
  return { id, ...facts, revokedAt: null, lastUsedAt: null, pepperVersion, secret }
}

/** Revokes a key for ever. A key that is revoked already stays as it is. */
export async function revokeKey(deps: Deps, { keyId }: { keyId: string }): Promise<ManagedKey> {
  const { organization_id: organizationId } = await requireKey(deps, keyId)
  const command = { type: 'RevokeKey', now: new Date(deps.now()).toISOString() } as const
  const options = { organizationId, meta: metaOf('operator') }
  await handle(deps.store, keyStream, keyId, command, options)
  return toManagedKey(await requireKey(deps, keyId))
}

/** A key as its owner manages it. */
export function toManagedKey(row: KeyRow): ManagedKey {
  const { id, name, prefix, scopes, channels } = row
  return {
    id,
    organizationId: row.organization_id,
    name,
    prefix,
    scopes,
    channels,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    pepperVersion: row.pepper_version,
  }
}

/** Rides with a new key: what it is found by. Not part of the event, because events are for ever. */
function storeHash(
  hash: string,
  { id, organizationId, pepper }: { id: string; organizationId: string; pepper: VersionedSecret },
): Rider {
  return {
    name: 'store_hash',
    sql: `insert into key_hashes (hash, key_id, organization_id, pepper_version) values ($1, $2, $3, $4::int)`,
    values: [hash, id, organizationId, pepper.version],
  }
}

async function requireKey({ store }: Deps, id: string): Promise<KeyRow> {
  const found = await findKey(store.pool, id)
  if (!found) throw new AppError('not_found', 'There is no such key.')
  return found
}
