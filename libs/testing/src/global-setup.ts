import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ensureNatsServer } from '@herald/local/nats-server'
import { startPostgres } from '@herald/local/postgres'
import { usesContainers } from './infrastructure.ts'
import { fastFolder, removeAbandonedFolders, temporaryFolder } from './temporary-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's address of the run's Postgres. */
    postgresUrl: string
    /** The nats-server program to run. */
    natsServer: string
  }
}

const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
}

/**
 * Starts what all test files share: one Postgres, whose data need not survive a crash and so is not synced to disk.
 * Every test takes databases of its own from it (`database.ts`). Answers the function that ends it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = (line: string) => void process.stderr.write(`${line}\n`)
  // Tests of the embedded servers run them in any case.
  project.provide('natsServer', await ensureNatsServer({ log }))
  removeAbandonedFolders()
  const postgres = usesContainers() ? await inContainer() : await embedded(log)
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres[Symbol.asyncDispose]()
  }
}

async function inContainer(): Promise<AsyncDisposable & { url: string }> {
  const { startPostgresContainer } = await import('./postgres-container.ts')
  return startPostgresContainer({ settings: SETTINGS, inMemory: true })
}

async function embedded(log: (line: string) => void): Promise<AsyncDisposable & { url: string }> {
  const folder = temporaryFolder(fastFolder())
  const dataDir = join(folder.path, 'postgres')
  const postgres = await startPostgres({ dataDir, settings: SETTINGS, log })
  return {
    url: postgres.url,
    async [Symbol.asyncDispose]() {
      await postgres.stop()
      folder[Symbol.dispose]()
    },
  }
}
