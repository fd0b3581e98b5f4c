import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { raiseWall } from './wall.ts'

/** Plain SQL that is run once, in a transaction of its own together with the note that it ran. */
export type Migration = string

/** How long a migration waits for locks that services hold, and how often it tries. */
export type MigrationWaits = {
  /** Most time that it waits for a lock, in milliseconds. Whoever comes behind it waits as long, so it must be short. */
  lockMs: number
  /** How often it is tried in all when a lock cannot be had. */
  tries: number
  /** Between two tries, in milliseconds. */
  pauseMs: number
}

const WAITS: MigrationWaits = { lockMs: 2_000, tries: 10, pauseMs: 3_000 }
const LOCK = 7_301_001
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
/** Another caller may have many migrations to run. */
const FOR_OTHERS = '10min'

/**
 * Brings a database up to date: runs the migrations that it has not seen, in the order of their names. Callers
 * at the same time wait for each other. A migration that fails leaves nothing behind and stops the rest. When all have
 * run, every table that has an organization stands behind the wall of tenancy (`wall.ts`). Services may go on meanwhile:
 * a migration waits 2 s for a lock, lets those behind it pass, and tries again, ten times in all.
 */
export function runMigrations(
  databaseUrl: string,
  ...sets: Record<string, Migration>[]
): Promise<void> {
  return runMigrationsWithin(WAITS, databaseUrl, ...sets)
}

/** `runMigrations` with other waits. */
export async function runMigrationsWithin(
  waits: MigrationWaits,
  databaseUrl: string,
  ...sets: Record<string, Migration>[]
): Promise<void> {
  const migrations = sets
    .flatMap((set) => Object.entries(set))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  // A connection that breaks fails the statement under way, and must not end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await setLockTimeout(client, FOR_OTHERS)
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await setLockTimeout(client, `${waits.lockMs}ms`)
    await client.query(
      `create table if not exists migrations (name text primary key, at timestamptz not null default now())`,
    )
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const done = new Set(rows.map(({ name }) => name))
    for (const [name, sql] of migrations)
      if (!done.has(name)) await tryUntilLocked(waits, () => run(client, name, sql))
    await tryUntilLocked(waits, () => raiseWall(client))
  } finally {
    await client.end()
  }
}

function setLockTimeout(client: pg.Client, value: string) {
  return client.query(`select set_config('lock_timeout', $1, false)`, [value])
}

/** Between two tries nobody waits behind the migration, so services get through. */
async function tryUntilLocked(waits: MigrationWaits, work: () => Promise<void>): Promise<void> {
  for (let left = waits.tries - 1; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left <= 0 || !isLocked(error)) throw error
    }
    await sleep(waits.pauseMs)
  }
}

function isLocked(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  if (cause !== undefined) return isLocked(cause)
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK
}

async function run(client: pg.Client, name: string, sql: string): Promise<void> {
  try {
    await client.query('begin')
    await client.query(sql)
    await client.query('insert into migrations (name) values ($1)', [name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw new Error(`The migration ${name} failed.`, { cause: error })
  }
}
