import pg from 'pg'
import { ownerUrl } from './owner-url.ts'
import type { World } from './world.ts'

/** What the databases of a world hold of events. */
export type StoredEvents = Disposable & {
  /** Those of the given requests that caused an event. */
  causedBy: (requestIds: readonly string[]) => Promise<string[]>
  /** Every event of every service, as text. */
  text: () => Promise<string>
}

/** Looks into the event tables of all services of a world. */
export async function storedEvents({ databaseUrls }: World): Promise<StoredEvents> {
  const all = Object.entries(databaseUrls).map(([name, url]) => ({
    name,
    pool: new pg.Pool({ connectionString: ownerUrl(url), max: 1, idleTimeoutMillis: 1_000 }),
  }))
  const owners: typeof all = []
  for (const one of all) {
    // The database goes away with the world, before the pool does.
    one.pool.on('error', () => undefined)
    const { rows } = await one.pool.query(`select to_regclass('events') is not null as found`)
    if (rows[0]?.found) owners.push(one)
  }
  const ask = <T>(sql: string, values: unknown[] = []) =>
    Promise.all(owners.map(async ({ pool }) => (await pool.query(sql, values)).rows as T[]))
  return {
    async causedBy(requestIds) {
      const found = await ask<{ id: string }>(
        `select distinct meta ->> 'requestId' as id from events where meta ->> 'requestId' = any($1)`,
        [requestIds],
      )
      return found.flat().map(({ id }) => id)
    },
    async text() {
      const found = await ask<{ event: string }>(
        'select to_jsonb(events)::text as event from events',
      )
      return found
        .flat()
        .map(({ event }) => event)
        .join('\n')
    },
    [Symbol.dispose]: () => void Promise.all(all.map(({ pool }) => pool.end())),
  }
}
