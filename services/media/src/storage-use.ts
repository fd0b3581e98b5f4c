import { AppError } from '@herald/contracts/errors'
import type { Rider } from '@herald/event-store/append'
import type { Pool } from '@herald/event-store/database'
import { forOrganization } from '@herald/event-store/organization'

/** Refuses the append that would take an organization over its limit. Statements on one row follow each other, so the sum is exact. */
export function reserveBytes(organizationId: string, bytes: number, limit: number): Rider {
  return {
    name: 'reserve_bytes',
    required: true,
    sql: RESERVE,
    values: [organizationId, bytes, limit],
  }
}

/** Gives back the bytes of a file that is deleted or did not come. */
export function giveBytesBack(organizationId: string, bytes: number): Rider {
  return {
    name: 'give_bytes_back',
    sql: `update storage_use set bytes = greatest(0, bytes - $2::bigint) where organization_id = $1`,
    values: [organizationId, bytes],
  }
}

/** The bytes that an organization keeps and has reserved. */
export async function usedBytes(pool: Pool, organizationId: string): Promise<number> {
  const { rows } = await forOrganization(pool, organizationId).query<{ bytes: number }>(
    'select bytes from storage_use where organization_id = $1',
    [organizationId],
  )
  return rows[0]?.bytes ?? 0
}

/** The refusal of a file for which there is no room (specification, "Limits"). */
export async function storageFull(
  pool: Pool,
  organizationId: string,
  limitBytes: number,
): Promise<AppError> {
  const details = { limitBytes, usedBytes: await usedBytes(pool, organizationId) }
  return new AppError('limit_reached', "The organization's storage is full.", { details })
}

/** `$1` is the organization, `$2` the bytes, `$3` the limit; no row is a refusal. */
export const RESERVE = `insert into storage_use as used (organization_id, bytes)
  select $1, $2::bigint where $2::bigint <= $3::bigint
  on conflict (organization_id) do update set bytes = used.bytes + excluded.bytes
  where used.bytes + excluded.bytes <= $3::bigint returning 1`
