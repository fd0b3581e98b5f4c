import { prepareDatabase } from '@herald/event-store/prepare-database'
import { DATABASE_OWNERS, migrateOwn } from './services.ts'

export type DatabaseUrls = Record<(typeof DATABASE_OWNERS)[number], string>

/**
 * Makes the database of each service if it is missing, brings it up to date, and answers the addresses for the services:
 * each has a login of its own,
 * which sees what the wall of tenancy lets it see, and all have this password.
 */
export async function prepareDatabases(
  postgresUrl: string,
  servicePassword: string,
): Promise<DatabaseUrls> {
  const prepared = await Promise.all(
    DATABASE_OWNERS.map(async (owner) => {
      const ownerUrl = withDatabase(postgresUrl, `herald_${owner}`)
      const serviceUrl = asService(ownerUrl, `herald_${owner}`, servicePassword)
      await prepareDatabase({ ownerUrl, serviceUrl, migrate: (url) => migrateOwn(owner, url) })
      return [owner, serviceUrl]
    }),
  )
  return Object.fromEntries(prepared) as DatabaseUrls
}

function asService(url: string, role: string, password: string): string {
  const changed = new URL(url)
  changed.username = role
  changed.password = encodeURIComponent(password)
  return changed.href
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
