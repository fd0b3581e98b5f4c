import { isAbsolute } from 'node:path'
import pg from 'pg'
import { startContainer, type ServerContainer } from './container.ts'

/** A Postgres in a container; `url` names its superuser and its database `postgres`. */
export type PostgresContainer = ServerContainer & { url: string }

// As the embedded server makes its clusters, so that texts sort the same.
const INITDB_ARGS = '--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8'
const DEFAULTS = { jit: 'off', timezone: 'UTC', max_connections: '200' }

/**
 * Starts Postgres in a container, open to everybody who reaches its port. `inMemory` keeps its data in memory, where
 * they are gone once it stops. Files that `settings` name are mounted at the same place.
 */
export async function startPostgresContainer(
  options: { settings?: Record<string, string>; inMemory?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): Promise<PostgresContainer> {
  const settings = Object.entries({ ...DEFAULTS, ...options.settings })
  const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const files = Object.values(options.settings ?? {}).filter(isAbsolute)
  const server = await startContainer({
    image: env['HERALD_TEST_POSTGRES_IMAGE'] || 'postgres:18-alpine',
    inner: 5432,
    prepare: (container) =>
      container
        .withEnvironment({
          POSTGRES_HOST_AUTH_METHOD: 'trust',
          POSTGRES_INITDB_ARGS: INITDB_ARGS,
        })
        .withCommand(['postgres', ...flags])
        .withSharedMemorySize(256 * 1024 ** 2)
        .withBindMounts(files.map((path) => ({ source: path, target: path, mode: 'ro' })))
        .withTmpFs(options.inMemory === true ? { '/var/lib/postgresql': 'rw' } : {}),
    isReady: (port) => answers(urlOf(port)),
  })
  return { ...server, url: urlOf(server.port) }
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}
