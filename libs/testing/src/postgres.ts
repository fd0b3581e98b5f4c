import { startPostgres, type PostgresProcess } from '@herald/local/postgres'
import { fastFolder, temporaryFolder } from './temporary-folder.ts'

/** A Postgres that a test may end in any way and start again at the same address. */
export type TestPostgres = AsyncDisposable & {
  url: string
  port: number
  dataDir: string
  pid: number
  stop: () => Promise<void>
  /** Ends it with a signal (SIGQUIT is at once, as after a crash) and starts it again on its data and port. */
  restart: (signal: NodeJS.Signals) => Promise<void>
}

/** Starts a Postgres of its own, durable as in production. Disposing stops it and removes its data. */
export async function testPostgres(settings: Record<string, string> = {}): Promise<TestPostgres> {
  const folder = temporaryFolder(fastFolder())
  const dataDir = folder.path
  let server: PostgresProcess = await startPostgres({ dataDir, settings })
  const { url, port } = server
  return {
    url,
    port,
    dataDir,
    get pid() {
      return server.pid
    },
    stop: () => server.stop(),
    async restart(signal) {
      server.kill(signal)
      await server.exited
      server = await startPostgres({
        dataDir,
        port,
        settings,
      })
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      folder[Symbol.dispose]()
    },
  }
}
