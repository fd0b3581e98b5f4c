import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareDatabases } from '@herald/local/databases'
import { startPostgres } from '@herald/local/postgres'
import { DATABASE_OWNERS } from '@herald/local/services'
import { type Privileges, readPrivileges } from './read-privileges.ts'

/** The privileges as they were agreed. `node deploy/postgres/write-privileges.ts` writes them anew; read the difference. */
export const PRIVILEGES = new URL('privileges.json', import.meta.url)

if (import.meta.main) await main()

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'herald-privileges-'))
  const server = await startPostgres({ dataDir, settings: { fsync: 'off' } })
  try {
    const found = await preparedPrivileges(server.url)
    writeFileSync(PRIVILEGES, `${JSON.stringify(found, null, 2)}\n`)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true })
  }
}

/** Prepares the databases of all services on an empty server and reads what their roles may do. */
export async function preparedPrivileges(serverUrl: string): Promise<Privileges> {
  await prepareDatabases(serverUrl, 'a password of a test')
  return readPrivileges(
    serverUrl,
    DATABASE_OWNERS.map((owner) => `herald_${owner}`),
  )
}
