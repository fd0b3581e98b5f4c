import type { Organization, Plan, Scope } from '@herald/contracts/accounts'
import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'

export type KeyRow = {
  id: string
  organization_id: string
  name: string
  prefix: string
  scopes: Scope[]
  channels: 'all' | string[]
  expires_at: string | null
  created_at: string
  revoked_at: string | null
  last_used_at: string | null
  pepper_version: number
}

export type VerifiedKey = KeyRow & {
  organization_name: string
  plan: Plan
  /** Whether its last use was noted more than a minute ago. */
  is_use_due: boolean
}

const KEY_COLUMNS = `k.id, k.organization_id, k.name, k.prefix, k.scopes, k.channels, k.expires_at, k.created_at,
  k.revoked_at, h.last_used_at, h.pepper_version`
const KEYS = `select ${KEY_COLUMNS} from keys k join key_hashes h on h.key_id = k.id`

/**
 * The key with one of these hashes, each of another pepper, and its organization, unless it is revoked or, by the
 * database's clock, expired.
 */
export async function findLiveKey(
  pool: Pool,
  hashes: readonly { version: number; hash: string }[],
): Promise<VerifiedKey | undefined> {
  const { rows } = await acrossOrganizations(pool).query<VerifiedKey>({
    name: 'find_live_key',
    text: `select ${KEY_COLUMNS}, o.name as organization_name, o.plan,
             coalesce(h.last_used_at <= clock_timestamp() - interval '1 minute', true) as is_use_due
           from unnest($1::int[], $2::text[]) as live (pepper_version, hash)
           join key_hashes h on h.hash = live.hash and h.pepper_version = live.pepper_version
           join keys k on k.id = h.key_id join organizations o on o.id = k.organization_id
           where k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`,
    values: [hashes.map(({ version }) => version), hashes.map(({ hash }) => hash)],
  })
  return rows[0]
}

/** A key by its id. */
export async function findKey(pool: Pool, id: string): Promise<KeyRow | undefined> {
  const { rows } = await acrossOrganizations(pool).query<KeyRow>(`${KEYS} where k.id = $1`, [id])
  return rows[0]
}

/** Keys newest first, of one organization or of all. */
export async function listKeys(pool: Pool, organizationId: string | undefined): Promise<KeyRow[]> {
  const door =
    organizationId === undefined ? acrossOrganizations(pool) : forOrganization(pool, organizationId)
  const { rows } = await door.query<KeyRow>(
    `${KEYS} where k.organization_id = coalesce($1, k.organization_id)
     order by k.created_at desc, k.id desc`,
    [organizationId],
  )
  return rows
}

/** An organization by its id. */
export async function findOrganization(pool: Pool, id: string): Promise<Organization | undefined> {
  const { rows } = await forOrganization(pool, id).query<Organization>(
    'select id, name, plan from organizations where id = $1',
    [id],
  )
  return rows[0]
}

/** All organizations, oldest first. */
export async function listOrganizations(pool: Pool): Promise<Organization[]> {
  const { rows } = await acrossOrganizations(pool).query<Organization>(
    'select id, name, plan from organizations order by created_at, id',
  )
  return rows
}
