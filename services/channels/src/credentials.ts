import type { Rider } from '@herald/event-store/append'
import type { Queryable } from '@herald/event-store/organization'
import { type Owner, open, seal, type Sealed } from './sealed.ts'

/** Secrets as they were read. The nonce is another one after every change of them. */
export type Kept = { secrets: Record<string, string>; nonce: Buffer }

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
  return {
    name: 'delete_secrets',
    sql: 'delete from credentials where channel_id = $1',
    values: [channelId],
  }
}

/** Refuses an append that judges secrets which have been replaced since they were read. */
export function requireSameSecrets(channelId: string, nonce: Buffer): Rider {
  return {
    name: 'same_secrets',
    required: true,
    sql: 'select 1 from credentials where channel_id = $1 and nonce = $2::bytea',
    values: [channelId, nonce],
  }
}

/** The secrets of a channel, if it is connected. */
export function readSecrets(
  target: Queryable,
  owner: Owner,
  key: Buffer,
): Promise<Kept | undefined> {
  return read(target, owner, key, { name: 'read_secrets', text: SELECT })
}

/** The same, and nobody else changes them or locks them until the transaction ends. */
export function lockSecrets(
  target: Queryable,
  owner: Owner,
  key: Buffer,
): Promise<Kept | undefined> {
  return read(target, owner, key, { name: 'lock_secrets', text: `${SELECT} for update` })
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

const SELECT = `select key_version, nonce, ciphertext from credentials
                where channel_id = $1 and organization_id = $2`

async function read(
  target: Queryable,
  owner: Owner,
  key: Buffer,
  statement: { name: string; text: string },
): Promise<Kept | undefined> {
  const values = [owner.channelId, owner.organizationId]
  const { rows } = await target.query<Sealed>({ ...statement, values })
  const [row] = rows
  return row && { secrets: open(row, owner, key), nonce: row.nonce }
}
