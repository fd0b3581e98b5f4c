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
}

export type VerifiedKey = KeyRow & { organization_name: string; plan: Plan }

const KEY_COLUMNS =
  'k.id, k.organization_id, k.name, k.prefix, k.scopes, k.channels, k.expires_at, k.created_at, k.revoked_at'

/** The key with this hash and its organization, unless it is revoked or, by the database's clock, expired. */
export async function findLiveKey(pool: Pool, hash: string): Promise<VerifiedKey | undefined> {
  const { rows } = await acrossOrganizations(pool).query<VerifiedKey>({
    name: 'find_live_key',
    text: `select ${KEY_COLUMNS}, o.name as organization_name, o.plan
           from key_hashes h join keys k on k.id = h.key_id join organizations o on o.id = k.organization_id
           where h.hash = $1 and k.revoked_at is null
             and (k.expires_at is null or k.expires_at > clock_timestamp())`,
    values: [hash],
  })
  return rows[0]
}

/** A key by its id. */
export async function findKey(pool: Pool, id: string): Promise<KeyRow | undefined> {
  const { rows } = await acrossOrganizations(pool).query<KeyRow>(
    `select ${KEY_COLUMNS} from keys k where k.id = $1`,
    [id],
  )
  return rows[0]
}

/** Keys newest first, of one organization or of all. */
export async function listKeys(pool: Pool, organizationId: string | undefined): Promise<KeyRow[]> {
  const door =
    organizationId === undefined ? acrossOrganizations(pool) : forOrganization(pool, organizationId)
  const { rows } = await door.query<KeyRow>(
    `select ${KEY_COLUMNS} from keys k where k.organization_id = coalesce($1, k.organization_id)
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
