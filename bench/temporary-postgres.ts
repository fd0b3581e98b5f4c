import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@herald/local/postgres'

/** A Postgres that syncs to disk, as in production, in a folder that goes away with it. */
export async function temporaryPostgres() {
  const folder = await mkdtemp(join(tmpdir(), 'herald-bench-'))
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
  return {
    url: postgres.url,
    async [Symbol.asyncDispose]() {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
