import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'
import { type Loop, loop } from '@herald/service/supervise'
import type { VersionedSecrets } from '@herald/service/versioned-secrets'
import type { Deps } from './deps.ts'
import { type Sealed, sealAgain } from './sealed.ts'

type Row = Sealed & { channel_id: string; organization_id: string }

const BATCH = 50

const CHECK_EVERY_MS = 60_000

/** Seals what is left of older keys, in the background, until nothing is; then an old key can be taken away. */
export function startSealingAgain({
  store,
  credentialsKeys,
  logger,
}: Pick<Deps, 'store' | 'credentialsKeys' | 'logger'>): Loop {
  return loop({
    name: 'seal-again',
    logger,
    run: async () => {
      const { sealed, unopened } = await sealOldAgain(store.pool, credentialsKeys)
      if (unopened > 0) logger.error({ unopened }, 'Credentials open with no key that is given.')
      if (sealed > 0)
        logger.info(
          { sealed, version: credentialsKeys[0].version },
          'Credentials were sealed anew.',
        )
      return sealed > 0 ? 0 : CHECK_EVERY_MS
    },
  })
}

/**
 * Seals credentials of older versions of the key with the first one, a batch at a time. Those that change meanwhile are
 * sealed with it by whoever changes them. Answers how many were sealed, and how many of the batch no given key opens.
 */
export async function sealOldAgain(
  pool: Pool,
  keys: VersionedSecrets,
): Promise<{ sealed: number; unopened: number }> {
  const versions = keys.slice(1).map(({ version }) => version)
  const { rows } = await acrossOrganizations(pool).query<Row>(
    `select channel_id, organization_id, key_version, nonce, ciphertext from credentials
     where key_version = any($1::int[]) order by channel_id limit ${BATCH}`,
    [versions],
  )
  const outcomes = await Promise.all(rows.map((row) => sealOne(pool, keys, row)))
  const sealed = outcomes.filter(Boolean).length
  return { sealed, unopened: rows.length - sealed }
}

async function sealOne(pool: Pool, keys: VersionedSecrets, row: Row): Promise<boolean> {
  const place = { organizationId: row.organization_id, row: row.channel_id }
  let again: Sealed
  try {
    again = sealAgain(row, place, keys)
  } catch {
    return false
  }
  await forOrganization(pool, row.organization_id).query(
    `update credentials set key_version = $3, ciphertext = $4
     where channel_id = $1 and organization_id = $2 and nonce = $5 and key_version = $6`,
    [
      row.channel_id,
      row.organization_id,
      again.key_version,
      again.ciphertext,
      row.nonce,
      row.key_version,
    ],
  )
  return true
}
