import pg from 'pg'
import { DATABASE_OWNERS, migrateOwn } from './services.ts'

export type DatabaseUrls = Record<(typeof DATABASE_OWNERS)[number], string>

/** Makes the database of each service if it is missing, and brings it up to date. */
export async function prepareDatabases(postgresUrl: string): Promise<DatabaseUrls> {
  const client = new pg.Client({ connectionString: postgresUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
    const existing = new Set(rows.map(({ datname }) => datname))
    for (const owner of DATABASE_OWNERS)
      if (!existing.has(databaseName(owner)))
        await client.query(`create database ${databaseName(owner)}`)
  } finally {
    await client.end()
  }
  const urls = Object.fromEntries(
    DATABASE_OWNERS.map((owner) => [owner, withDatabase(postgresUrl, databaseName(owner))]),
  ) as DatabaseUrls
  await Promise.all(DATABASE_OWNERS.map((owner) => migrateOwn(owner, urls[owner])))
  return urls
}

function databaseName(owner: string): string {
  return `herald_${owner}`
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
