import { newId } from '@herald/contracts/ids'
import type { Rider } from '@herald/event-store/append'
import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'
import { RESERVE, storageFull } from './storage-use.ts'

/** An import takes less than this, or has died. */
const EXPIRES_AFTER = '5 minutes'
/** By how much a hold grows while a file of unknown length arrives. */
const STEP_BYTES = 8 * 1024 * 1024

export type ImportHold = {
  /** Makes sure that so many bytes in all are reserved. Throws `limit_reached` (409) when there is no room for them. */
  cover: (bytes: number) => Promise<void>
  /** Rides with the event that makes the file: the hold becomes the file's own bytes, or the append is refused. */
  settle: (sizeBytes: number) => readonly Rider[]
  /** Gives back what was held, if it still is. */
  release: () => Promise<void>
}

/**
 * Reserves bytes for a file that is being downloaded: as many as were announced, else step by step as they arrive, so
 * that an unknown length does not take more of the limit than the file. A crash gives the bytes back after 5 minutes.
 */
export function importHold(pool: Pool, organizationId: string, limitBytes: number): ImportHold {
  const id = newId('media')
  let held = 0
  return {
    cover: async (bytes) => {
      if (bytes <= held) return
      const more = held === 0 ? bytes : Math.max(bytes - held, STEP_BYTES)
      if (!(await grow(pool, { id, organizationId, more, limitBytes }))) {
        // The whole step may be too much where the bytes themselves are not.
        const least = bytes - held
        const isEnough =
          least < more && (await grow(pool, { id, organizationId, more: least, limitBytes }))
        if (!isEnough) throw await storageFull(pool, organizationId, limitBytes)
        held += least
        return
      }
      held += more
    },
    settle: (sizeBytes) => [
      {
        name: 'take_hold',
        required: true,
        sql: 'delete from import_holds where id = $1 returning bytes',
        values: [id],
      },
      {
        name: 'settle_hold',
        sql: `update storage_use set bytes = bytes - coalesce((select bytes from take_hold), 0) + $2::bigint
              where organization_id = $1`,
        values: [organizationId, sizeBytes],
      },
    ],
    release: async () => {
      await forOrganization(pool, organizationId).query(
        `with hold as (delete from import_holds where id = $1 returning organization_id, bytes)
                        ${GIVE_BACK}`,
        [id],
      )
    },
  }
}

/** Gives back the bytes of imports that died. Answers how many there were. */
export async function releaseExpiredHolds(pool: Pool): Promise<number> {
  const { rowCount } = await acrossOrganizations(pool).query(
    `with hold as (delete from import_holds where expires_at < clock_timestamp() returning organization_id, bytes)
     ${GIVE_BACK}`,
  )
  return rowCount ?? 0
}

const GIVE_BACK = `update storage_use used set bytes = greatest(0, used.bytes - gone.bytes)
  from (select organization_id, sum(bytes) as bytes from hold group by 1) gone
  where used.organization_id = gone.organization_id`

type Growth = { id: string; organizationId: string; more: number; limitBytes: number }

async function grow(
  pool: Pool,
  { id, organizationId, more, limitBytes }: Growth,
): Promise<boolean> {
  const { rowCount } = await forOrganization(pool, organizationId).query({
    name: 'grow_hold',
    text: `with room as (${RESERVE})
           insert into import_holds as hold (id, organization_id, bytes, expires_at)
           select $4, $1, $2::bigint, clock_timestamp() + interval '${EXPIRES_AFTER}' from room
           on conflict (id) do update set bytes = hold.bytes + excluded.bytes`,
    values: [organizationId, more, limitBytes, id],
  })
  return rowCount === 1
}
