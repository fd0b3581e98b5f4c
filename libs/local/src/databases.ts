import { SERVICE_ROLE } from '@herald/event-store/organization'
import pg from 'pg'
import { DATABASE_OWNERS, migrateOwn } from './services.ts'

export type DatabaseUrls = Record<(typeof DATABASE_OWNERS)[number], string>

/**
 * Makes the database of each service if it is missing, brings it up to date, and answers the addresses for the services:
 * their role sees what the wall of tenancy lets it see, and gets this password.
 */
export async function prepareDatabases(
  postgresUrl: string,
  servicePassword: string,
): Promise<DatabaseUrls> {
  await asOwner(postgresUrl, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
    const existing = new Set(rows.map(({ datname }) => datname))
    for (const owner of DATABASE_OWNERS)
      if (!existing.has(databaseName(owner)))
        await client.query(`create database ${databaseName(owner)}`)
  })
  const urls = Object.fromEntries(
    DATABASE_OWNERS.map((owner) => [owner, withDatabase(postgresUrl, databaseName(owner))]),
  ) as DatabaseUrls
  await Promise.all(DATABASE_OWNERS.map((owner) => migrateOwn(owner, urls[owner])))
  await asOwner(postgresUrl, async (client) => {
    const password = client.escapeLiteral(servicePassword)
    await client.query(`alter role ${SERVICE_ROLE} password ${password}`)
  })
  return Object.fromEntries(
    Object.entries(urls).map(([owner, url]) => [owner, asService(url, servicePassword)]),
  ) as DatabaseUrls
}

async function asOwner(
  postgresUrl: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function asService(url: string, password: string): string {
  const changed = new URL(url)
  changed.username = SERVICE_ROLE
  changed.password = encodeURIComponent(password)
  return changed.href
}

function databaseName(owner: string): string {
  return `herald_${owner}`
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
