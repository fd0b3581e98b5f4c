import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { takeOver } from './leftover.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { lastLines, runCommand } from './run-command.ts'
import { serverIdentity, type ServerIdentity } from './server-identity.ts'
import { startServer, type ServerKind, type ServerProcess } from './server-process.ts'

/** A running Postgres; `url` names its superuser and its database `postgres`. */
export type PostgresProcess = ServerProcess

// Small enough for a laptop beside everything else, and durable: fsync and full_page_writes keep their defaults.
const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  // A socket file would need a folder that both users may enter, and its path has a limit of 107 bytes.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

// SIGINT is a fast shutdown (sessions end, a checkpoint is written), SIGQUIT an immediate one that recovers later.
const STOP_STEPS = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
] as const

/**
 * Starts Postgres on a data folder, which is made on first use, and waits until it answers. The folder survives a
 * kill of this process: the next start stops a server that still runs on it. As root the server runs as another
 * user. `settings` are server settings that replace the defaults here.
 */
export async function startPostgres(options: {
  dataDir: string
  port?: number
  settings?: Record<string, string>
  log?: (line: string) => void
}): Promise<PostgresProcess> {
  const { postgres, initdb } = findPostgresBinaries()
  mkdirSync(options.dataDir, { recursive: true })
  const dataDir = realpathSync(options.dataDir)
  const cluster = join(dataDir, 'cluster')
  const identity = await serverIdentity(postgres)
  await takeOver({
    name: 'Postgres',
    dataDir,
    pidFile: join(cluster, 'postmaster.pid'),
    isServer: (commandLine) => commandLine.includes(`postgres -D ${cluster} `),
    stopSteps: STOP_STEPS,
    log: options.log,
  })
  const settings = { ...SETTINGS, ...options.settings }
  if (!existsSync(cluster)) {
    await createCluster({ dataDir, initdb, identity, isDurable: settings['fsync'] !== 'off' })
  }
  giveTo(identity.owner, cluster)
  const kind = describeServer({ dataDir, cluster, postgres, identity, settings })
  return startServer(kind, options.port)
}

function describeServer(server: {
  dataDir: string
  cluster: string
  postgres: string
  identity: ServerIdentity
  settings: Record<string, string>
}): ServerKind {
  const { cluster, settings, identity } = server
  return {
    name: 'Postgres',
    logFile: join(server.dataDir, 'server.log'),
    stopSteps: STOP_STEPS,
    // Recovery after a crash comes before the first connection and may have much to read.
    deadlineMs: 120_000,
    command: (port) => [
      ...identity.prefix,
      server.postgres,
      '-D',
      cluster,
      ...Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ]),
    ],
    url: urlOf,
    isReady: (port) => answersFrom(urlOf(port), cluster),
    // The children of a killed server need a moment to notice and to let go of its shared memory.
    passingFailure: /pre-existing shared memory block/,
  }
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

/** The folder is part of the question because another server may have taken the port in between. */
async function answersFrom(url: string, cluster: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    return rows[0]?.data_directory === cluster
  } catch {
    return false
  } finally {
    await client.end()
  }
}

/**
 * Whoever reaches the loopback interface is trusted without a password: the embedded stack is one person's machine,
 * and its other parts (files, NATS) are as open to that person's programs. A deployment has a database of its own.
 * The builtin C.UTF-8 locale sorts by code point, knows upper and lower case of all of Unicode, and is the same on
 * every machine, so a data folder never depends on the system's locales.
 */
async function createCluster(options: {
  dataDir: string
  initdb: string
  identity: ServerIdentity
  isDurable: boolean
}): Promise<void> {
  const { dataDir, identity } = options
  // Made under another name first: a folder named `cluster` is then always a finished one.
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith('cluster.new')) rmSync(join(dataDir, name), { recursive: true })
  }
  const draft = join(dataDir, `cluster.new-${process.pid}`)
  mkdirSync(draft, { mode: 0o700 })
  if (identity.owner) chownSync(draft, identity.owner.uid, identity.owner.gid)
  const { code, output } = await runCommand(
    [
      ...identity.prefix,
      options.initdb,
      `--pgdata=${draft}`,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      ...(options.isDurable ? [] : ['--no-sync']),
    ],
    { timeoutMs: 120_000 },
  )
  if (code !== 0) throw new Error(`initdb could not make ${draft}:\n${lastLines(output, 8)}`)
  renameSync(draft, join(dataDir, 'cluster'))
}

/** Gives the data to the server's user when it was last run by another. The folder itself comes last, as the mark. */
function giveTo(owner: ServerIdentity['owner'], cluster: string): void {
  if (owner === undefined || statSync(cluster).uid === owner.uid) return
  for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(cluster, name), owner.uid, owner.gid)
  }
  chownSync(cluster, owner.uid, owner.gid)
  chmodSync(cluster, 0o700)
}
