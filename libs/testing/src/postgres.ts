import { startPostgres, type PostgresProcess } from '@herald/local/postgres'
import { fastFolder, temporaryFolder } from './temporary-folder.ts'

/**
 * Starts a Postgres of its own, durable as in production, for a test that stops or kills it. `dataDir` is where to
 * start one again. Disposing stops it and removes its data.
 */
export async function testPostgres(
  settings: Record<string, string> = {},
): Promise<PostgresProcess & AsyncDisposable & { dataDir: string }> {
  const folder = temporaryFolder(fastFolder())
  const server = await startPostgres({ dataDir: folder.path, settings })
  return {
    ...server,
    dataDir: folder.path,
    async [Symbol.asyncDispose]() {
      await server.stop()
      folder[Symbol.dispose]()
    },
  }
}
