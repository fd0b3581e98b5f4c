import type { Rider } from '@herald/event-store/append'
import type { Pool } from '@herald/event-store/database'
import type { Storage } from '@herald/storage/storage'

/** An object without an owner goes after this long, which is more than a request takes. */
const UNOWNED_SECONDS = 900

/**
 * Notes that objects are about to be made which no file owns yet. Must be committed before they are made: a crash then
 * leaves nothing behind.
 */
export async function doomUnowned(pool: Pool, id: string, keys: readonly string[]): Promise<void> {
  await pool.query(
    `insert into doomed_objects (id, keys, not_before)
     values ($1, $2, clock_timestamp() + make_interval(secs => $3))`,
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

/** Nobody will own the objects: they may go at once. */
export async function doomNow(pool: Pool, id: string): Promise<void> {
  await pool.query('update doomed_objects set not_before = clock_timestamp() where id = $1', [id])
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
 * meanwhile, so nobody can pardon objects that are being removed, and it stays until they are gone.
 */
export async function removeNextDoomed(pool: Pool, storage: Storage): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<{ id: string; keys: string[] }>(
      `select id, keys from doomed_objects where not_before <= clock_timestamp()
       order by not_before limit 1 for update skip locked`,
    )
    const [next] = rows
    for (const key of next?.keys ?? []) await storage.delete(key)
    if (next) await client.query('delete from doomed_objects where id = $1', [next.id])
    await client.query('commit')
    return next !== undefined
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    client.release()
  }
}
