import type { Rider } from '@herald/event-store/append'
import type { Queryable } from '@herald/event-store/organization'
import type { VersionedSecrets } from '@herald/service/versioned-secrets'
import { open, type Place, seal, type Sealed } from './sealed.ts'

/** The channel that secrets belong to. */
export type Owner = { organizationId: string; channelId: string }

export type Secrets = Record<string, string>

/** Secrets as they were read. The nonce is another one after every change of them. */
export type Kept = { secrets: Secrets; nonce: Buffer }

/** Secrets with the times that belong to them: milliseconds since 1970, null for never. */
export type NewSecrets = {
  secrets: Secrets
  expiresAt: number | null
  renewAt: number | null
}

/** What a connection stores beside its secrets. */
export type Connected = NewSecrets & {
  /** The same for all channels that one grant gave. */
  grantId: string
  /** When the platform is asked for the account's limits, if it can be. */
  limitsAt: number | null
}

/** Rides with a connection: stores its secrets. */
export function putSecrets(connected: Connected, owner: Owner, keys: VersionedSecrets): Rider {
  const { key_version, nonce, ciphertext } = seal(connected.secrets, placeOf(owner), keys)
  const { expiresAt, renewAt, grantId, limitsAt } = connected
  return {
    name: 'put_secrets',
    sql: `insert into credentials (channel_id, organization_id, key_version, nonce, ciphertext,
                                   expires_at, renew_at, grant_id, limits_at)
          values ($1, $2, $3::int, $4::bytea, $5::bytea, $6::timestamptz, $7::timestamptz, $8, $9::timestamptz)
          on conflict (channel_id) do update set key_version = excluded.key_version,
            nonce = excluded.nonce, ciphertext = excluded.ciphertext, expires_at = excluded.expires_at,
            renew_at = excluded.renew_at, renew_attempts = 0, grant_id = excluded.grant_id,
            limits_at = excluded.limits_at, limits_attempts = 0, updated_at = clock_timestamp()`,
    values: [
      owner.channelId,
      owner.organizationId,
      key_version,
      nonce,
      ciphertext,
      instant(expiresAt),
      instant(renewAt),
      grantId,
      instant(limitsAt),
    ],
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

/** Gives up secrets that are dead. Refuses an append that judges those which have been replaced since they were read. */
export function giveUpSecrets(channelId: string, nonce: Buffer): Rider {
  return {
    name: 'give_up_secrets',
    required: true,
    sql: `update credentials set renew_at = null, limits_at = null
          where channel_id = $1 and nonce = $2::bytea returning 1`,
    values: [channelId, nonce],
  }
}

/** The secrets of a channel, if it is connected. */
export function readSecrets(
  target: Queryable,
  owner: Owner,
  keys: VersionedSecrets,
): Promise<Kept | undefined> {
  return read(target, owner, keys, { name: 'read_secrets', text: SELECT })
}

/** The same, and nobody else changes them or locks them until the transaction ends. */
export function lockSecrets(
  target: Queryable,
  owner: Owner,
  keys: VersionedSecrets,
): Promise<Kept | undefined> {
  return read(target, owner, keys, { name: 'lock_secrets', text: `${SELECT} for update` })
}

const SELECT = `select key_version, nonce, ciphertext from credentials
                where channel_id = $1 and organization_id = $2`

async function read(
  target: Queryable,
  owner: Owner,
  keys: VersionedSecrets,
  statement: { name: string; text: string },
): Promise<Kept | undefined> {
  const values = [owner.channelId, owner.organizationId]
  const { rows } = await target.query<Sealed>({ ...statement, values })
  const [row] = rows
  if (!row) return undefined
  // What is sealed here is what a connector gave as secrets.
  return { secrets: open(row, placeOf(owner), keys) as Secrets, nonce: row.nonce }
}

/** Renewed secrets, ready to be stored in place of those that they renew, also more than once. */
export function renewedSecrets(
  renewed: NewSecrets,
  owner: Owner,
  old: Buffer,
  keys: VersionedSecrets,
) {
  const { key_version, nonce, ciphertext } = seal(renewed.secrets, placeOf(owner), keys)
  const { channelId, organizationId } = owner
  const times = [instant(renewed.expiresAt), instant(renewed.renewAt)]
  return {
    /** Answers false when the channel has neither the old secrets nor these. */
    async store(target: Queryable): Promise<boolean> {
      const { rowCount } = await target.query(
        `update credentials set key_version = $3::int, nonce = $4::bytea, ciphertext = $5::bytea,
           expires_at = $7::timestamptz, renew_at = $8::timestamptz, renew_attempts = 0,
           updated_at = clock_timestamp()
         where channel_id = $1 and organization_id = $2 and nonce in ($4::bytea, $6::bytea)`,
        [channelId, organizationId, key_version, nonce, ciphertext, old, ...times],
      )
      return rowCount === 1
    },
  }
}

/** Whether another channel would lose its access with this one's: it has the same grant, or is the same account. */
export async function isGrantShared(target: Queryable, channelId: string): Promise<boolean> {
  const { rows } = await target.query(
    `select from credentials c join channels own on own.id = $1 join channels other on other.id = c.channel_id
     where other.id <> own.id and other.platform = own.platform and other.base_url = own.base_url
       and (other.account = own.account or c.grant_id = (select grant_id from credentials where channel_id = $1))
     limit 1`,
    [channelId],
  )
  return rows.length > 0
}

function placeOf({ organizationId, channelId }: Owner): Place {
  return { organizationId, row: channelId }
}

function instant(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
