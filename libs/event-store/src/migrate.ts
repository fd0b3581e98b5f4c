import pg from 'pg'
import { raiseWall } from './wall.ts'

/** Plain SQL that is run once, in a transaction of its own together with the note that it ran. */
export type Migration = string

const LOCK = 7_301_001

/**
 * Brings a database up to date: runs the migrations that it has not seen, in the order of their names. Callers
 * at the same time wait for each other. A migration that fails leaves nothing behind and stops the rest. When all have
 * run, every table that has an organization stands behind the wall of tenancy (`wall.ts`).
 */
export async function runMigrations(
  databaseUrl: string,
  ...sets: Record<string, Migration>[]
): Promise<void> {
  const migrations = sets
    .flatMap((set) => Object.entries(set))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await client.query(
      `create table if not exists migrations (name text primary key, at timestamptz not null default now())`,
    )
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const done = new Set(rows.map(({ name }) => name))
    for (const [name, sql] of migrations) if (!done.has(name)) await run(client, name, sql)
    await raiseWall(client)
  } finally {
    await client.end()
  }
}

async function run(client: pg.Client, name: string, sql: string): Promise<void> {
  try {
    await client.query('begin')
    await client.query(sql)
    await client.query('insert into migrations (name) values ($1)', [name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`The migration ${name} failed.`, { cause: error })
  }
}
