import { forOrganization, type Queryable } from '@herald/event-store/organization'
import { hashOf } from './api-key.ts'
import type { Deps } from './deps.ts'
import type { VerifiedKey } from './queries.ts'

/**
 * Notes after the answer, and at most once a minute for a key, that it was used; and renews a hash that an older pepper
 * made, because only now is there something to make it of. Nobody waits for it and nothing fails with it.
 */
export function noteUse(
  { store: { pool }, peppers: [newest], logger }: Pick<Deps, 'store' | 'peppers' | 'logger'>,
  key: Pick<VerifiedKey, 'id' | 'organization_id' | 'is_use_due' | 'pepper_version'>,
  keyDigest: string,
): void {
  const door = forOrganization(pool, key.organization_id)
  const notes = [
    ...(key.is_use_due ? [recordUse(door, key.id)] : []),
    // Never back: another instance may have begun with the next version already.
    ...(key.pepper_version < newest.version
      ? [rehash(door, key, { hash: hashOf(keyDigest, newest.secret), version: newest.version })]
      : []),
  ]
  Promise.all(notes).catch((error: unknown) =>
    logger.warn({ error, keyId: key.id }, 'The use of a key could not be noted.'),
  )
}

async function recordUse(door: Queryable, keyId: string): Promise<void> {
  await door.query({
    name: 'record_key_use',
    text: `update key_hashes set last_used_at = clock_timestamp()
           where key_id = $1 and (last_used_at is null or last_used_at <= clock_timestamp() - interval '1 minute')`,
    values: [keyId],
  })
}

async function rehash(
  door: Queryable,
  { id, pepper_version: from }: Pick<VerifiedKey, 'id' | 'pepper_version'>,
  { hash, version }: { hash: string; version: number },
): Promise<void> {
  await door.query(
    'update key_hashes set hash = $3, pepper_version = $4 where key_id = $1 and pepper_version = $2',
    [id, from, hash, version],
  )
}
