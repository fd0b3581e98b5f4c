import type { Rider } from '@herald/event-store/append'
import type { Pool } from '@herald/event-store/database'
import { crashPoint } from '@herald/service/crash-point'
import type { Storage } from '@herald/storage/storage'
import { inTransaction } from './transaction.ts'

/** An object without an owner goes after this long, which is more than a request takes. */
const UNOWNED_SECONDS = 900

/**
 * Notes that objects are about to be made which no file owns yet. Must be committed before they are made: a crash then
 * leaves nothing behind. Said again it begins anew.
 */
export async function doomUnowned(pool: Pool, id: string, keys: readonly string[]): Promise<void> {
  await pool.query(
    `insert into doomed_objects (id, keys, not_before)
     values ($1, $2, clock_timestamp() + make_interval(secs => $3))
     on conflict (id) do update set not_before = excluded.not_before`,
    [id, keys, UNOWNED_SECONDS],
  )
}

/** Rides with the event that gives the objects an owner; refused when they have been removed by then. */
export function pardon(id: string): Rider {
  return {
    name: 'pardon',
    required: true,
    sql: 'delete from doomed_objects where id = $1 returning 1',
    values: [id],
  }
}

/** It is certain that nobody will own the objects: they may go at once, also when their entry is gone already. */
export async function doomNow(pool: Pool, id: string, keys: readonly string[]): Promise<void> {
  await pool.query(
    `insert into doomed_objects (id, keys, not_before) values ($1, $2, clock_timestamp())
     on conflict (id) do update set not_before = excluded.not_before`,
    [id, keys],
  )
}

/** Rides with an event after which the objects are not needed, from an instant on. */
export function doom(id: string, keys: readonly string[], notBefore: string): Rider {
  return {
    name: 'doom',
    sql: `insert into doomed_objects (id, keys, not_before) values ($1, $2::text[], $3::timestamptz)
          on conflict (id) do update set keys = excluded.keys, not_before = excluded.not_before`,
    values: [id, keys, notBefore],
  }
}

/**
 * Removes the objects of one entry whose time has come, and answers whether there was one. The entry stays locked
 * meanwhile, so nobody can pardon objects that are being removed, and it stays until they are gone. Throws what
 * storage throws; the entry then waits for a minute, so that it does not keep others from being removed.
 */
export async function removeNextDoomed(pool: Pool, storage: Storage): Promise<boolean> {
  const outcome = await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string; keys: string[] }>(
      `select id, keys from doomed_objects where not_before <= clock_timestamp()
       order by not_before limit 1 for update skip locked`,
    )
    const [next] = rows
    if (!next) return false
    try {
      for (const key of next.keys) await storage.delete(key)
    } catch (error) {
      await client.query(
        `update doomed_objects set not_before = clock_timestamp() + interval '1 minute' where id = $1`,
        [next.id],
      )
      return { error }
    }
    crashPoint('media.cleaned')
    await client.query('delete from doomed_objects where id = $1', [next.id])
    return true
  })
  if (typeof outcome === 'object') throw outcome.error
  return outcome
}
