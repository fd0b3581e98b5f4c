import { createHash, randomBytes } from 'node:crypto'
import type { Platform } from '@herald/contracts/platforms'
import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'
import type { VersionedSecrets } from '@herald/service/versioned-secrets'
import { open, type Place, seal, type Sealed } from './sealed.ts'

/** What a browser is under way for: to the platform and back, or to choose among accounts. */
type Step = 'grant' | 'choice'

/** A browser that is under way, known by a token that nobody can guess. The database has the token's hash only. */
export type Grant = {
  step: Step
  organizationId: string
  platform: Platform
  baseUrl: string
  /** Encrypted while it is kept. */
  secret: unknown
}

type GrantRow = Sealed & {
  step: Step
  organization_id: string
  platform: string
  base_url: string
  expires_at: string
}

const LASTS_MS = 15 * 60_000
const TOKEN_BYTES = 32

/** A token for a browser that sets out. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** Keeps what must be known when the browser comes back with the token, for a quarter of an hour. Answers the end. */
export async function keepGrant(
  pool: Pool,
  token: string,
  grant: Grant,
  { keys, now }: { keys: VersionedSecrets; now: number },
): Promise<string> {
  const { step, organizationId, platform, baseUrl } = grant
  const sealed = seal(grant.secret, placeOf(token, grant), keys)
  const expiresAt = new Date(now + LASTS_MS).toISOString()
  await forOrganization(pool, organizationId).query(
    `insert into grants_under_way
       (token_hash, step, organization_id, platform, base_url, key_version, nonce, ciphertext, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      hashOf(token),
      step,
      organizationId,
      platform,
      baseUrl,
      sealed.key_version,
      sealed.nonce,
      sealed.ciphertext,
      expiresAt,
    ],
  )
  return expiresAt
}

/**
 * Takes what is kept under a token: whoever shows it, and for whatever, nobody can do so again. Nothing when it is
 * unknown, was used, has expired, or belongs to another platform or step; the caller cannot tell which.
 */
export async function takeGrant(
  pool: Pool,
  token: string,
  wanted: Pick<Grant, 'step' | 'platform'>,
  { keys, now }: { keys: VersionedSecrets; now: number },
): Promise<Grant | undefined> {
  // Whose it is, is not known before it is found.
  const { rows } = await acrossOrganizations(pool).query<GrantRow>(
    `delete from grants_under_way where token_hash = $1
     returning step, organization_id, platform, base_url, key_version, nonce, ciphertext, expires_at`,
    [hashOf(token)],
  )
  const [row] = rows
  if (!row || row.step !== wanted.step || row.platform !== wanted.platform) return undefined
  if (Date.parse(row.expires_at) <= now) return undefined
  const kept = {
    step: row.step,
    organizationId: row.organization_id,
    platform: wanted.platform,
    baseUrl: row.base_url,
  }
  return { ...kept, secret: open(row, placeOf(token, kept), keys) }
}

/** Forgets browsers that did not come back in time. */
export async function forgetOldGrants(pool: Pool, now: number): Promise<void> {
  await acrossOrganizations(pool).query('delete from grants_under_way where expires_at <= $1', [
    new Date(now).toISOString(),
  ])
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function placeOf(token: string, { organizationId, ...grant }: Omit<Grant, 'secret'>): Place {
  const { step, platform, baseUrl } = grant
  return { organizationId, row: [hashOf(token).toString('hex'), step, platform, baseUrl].join('|') }
}
