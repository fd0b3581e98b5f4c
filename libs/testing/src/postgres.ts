import { startPostgres, type PostgresProcess } from '@herald/local/postgres'
import { usesContainers } from './infrastructure.ts'
import { fastFolder, temporaryFolder } from './temporary-folder.ts'

/** A Postgres that a test may end in any way and start again at the same address. */
export type TestPostgres = AsyncDisposable & {
  url: string
  port: number
  /** Where its files are; undefined in a container. */
  dataDir: string | undefined
  stop: () => Promise<void>
  /** Ends it with a signal (SIGQUIT is at once, as after a crash) and starts it again on its data and port. */
  restart: (signal: NodeJS.Signals) => Promise<void>
}

/** Starts a Postgres of its own, durable as in production. Disposing stops it and removes its data. */
export function testPostgres(settings: Record<string, string> = {}): Promise<TestPostgres> {
  return usesContainers() ? inContainer(settings) : embedded(settings)
}

async function inContainer(settings: Record<string, string>): Promise<TestPostgres> {
  const { startPostgresContainer } = await import('./postgres-container.ts')
  const server = await startPostgresContainer({ settings })
  return {
    ...server,
    dataDir: undefined,
    async restart(signal) {
      await server.kill(signal)
      await server.start()
    },
  }
}

async function embedded(settings: Record<string, string>): Promise<TestPostgres> {
  const folder = temporaryFolder(fastFolder())
  const dataDir = folder.path
  let server: PostgresProcess = await startPostgres({ dataDir, settings })
  const { url, port } = server
  return {
    url,
    port,
    dataDir,
    stop: () => server.stop(),
    async restart(signal) {
      server.kill(signal)
      await server.exited
      server = await startPostgres({ dataDir, port, settings })
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      folder[Symbol.dispose]()
    },
  }
}
