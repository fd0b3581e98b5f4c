import type { Queryable, Rider } from '@herald/event-store/append'
import { type Owner, open, seal, type Sealed } from './sealed.ts'

/** Rides with a connection: stores its secrets. */
export function putSecrets(secrets: Record<string, string>, owner: Owner, key: Buffer): Rider {
  const { key_version, nonce, ciphertext } = seal(secrets, owner, key)
  return {
    name: 'put_secrets',
    sql: `insert into credentials (channel_id, organization_id, key_version, nonce, ciphertext)
          values ($1, $2, $3::int, $4::bytea, $5::bytea)
          on conflict (channel_id) do update set key_version = excluded.key_version,
            nonce = excluded.nonce, ciphertext = excluded.ciphertext, updated_at = clock_timestamp()`,
    values: [owner.channelId, owner.organizationId, key_version, nonce, ciphertext],
  }
}

/** Rides with a disconnection: the secrets are gone with it. */
export function deleteSecrets(channelId: string): Rider {
  return { name: 'delete_secrets', sql: 'delete from credentials where channel_id = $1', values: [channelId] }
}

/** The secrets of a channel; with `lock`, nobody else reads them until the transaction ends. */
export async function readSecrets(
  target: Queryable,
  owner: Owner,
  key: Buffer,
  lock: boolean,
): Promise<Record<string, string> | undefined> {
  const { rows } = await target.query<Sealed>(
    `select key_version, nonce, ciphertext from credentials
     where channel_id = $1 and organization_id = $2 ${lock ? 'for update' : ''}`,
    [owner.channelId, owner.organizationId],
  )
  return rows[0] && open(rows[0], owner, key)
}

/** Stores renewed secrets. */
export async function updateSecrets(
  target: Queryable,
  secrets: Record<string, string>,
  owner: Owner,
  key: Buffer,
): Promise<void> {
  const { sql, values } = putSecrets(secrets, owner, key)
  await target.query(sql, [...values])
}
