import type { Pool } from 'pg'

/** The database's time, in milliseconds since 1970. */
export type DatabaseClock = { now: () => number; close: () => void }

const REFRESH_MS = 5_000

/**
 * Follows the clock of the database, so that a service whose own clock is wrong or jumps decides nothing by it.
 * Between two looks (every 5 s) it counts on with the process's monotonic timer. Rejects when the first look fails.
 */
export async function followDatabaseClock(pool: Pool): Promise<DatabaseClock> {
  let offset = await measure(pool)
  const timer = setInterval(() => {
    measure(pool).then(
      (measured) => (offset = measured),
      () => undefined, // The last offset stays good while the database is away.
    )
  }, REFRESH_MS)
  timer.unref()
  return { now: () => Math.round(performance.now() + offset), close: () => clearInterval(timer) }
}

/** Database time minus monotonic time; half of the round trip is the error. */
async function measure(pool: Pool): Promise<number> {
  const sent = performance.now()
  const { rows } = await pool.query<{ now: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  )
  const received = performance.now()
  return (rows[0]?.now ?? Date.now()) - (sent + received) / 2
}
