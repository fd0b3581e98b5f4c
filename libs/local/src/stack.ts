import { accounts } from '@herald/contracts/accounts'
import { channels } from '@herald/contracts/channels'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { claimFolder } from './claim-folder.ts'
import { type DatabaseUrls, prepareDatabases } from './databases.ts'
import { keepDemo } from './demo-organization.ts'
import { freePorts } from './free-port.ts'
import { sandboxPlatforms } from './sandbox-platforms.ts'
import { keepSettings, type KeptSettings } from './kept-settings.ts'
import { startNats } from './nats.ts'
import { ensureNatsServer } from './nats-server.ts'
import { startPostgres } from './postgres.ts'
import { removeRunFile, type RunFile, writeRunFile } from './run-file.ts'
import { type Env, type Running, startOwn } from './services.ts'
import { StartRefused } from './start-refused.ts'

export type StackOptions = {
  dataDir: string
  /** The gateway's port; 0 for any free one. */
  port: number
  env: Env
  /** Told in a line what is being done. */
  log: (line: string) => void
}

export type Stack = { run: RunFile; close: () => Promise<void> }

/** What has been started so far, oldest first. */
type Opened = { close: () => Promise<void> }[]

/**
 * Starts all of Herald in this process on a data folder: Postgres and NATS (its own, unless `POSTGRES_URL` and
 * `NATS_URL` name others), every service, and the demo organization. When everything answers it writes `run.json`.
 * Throws `StartRefused` when another process uses the folder or a port; whatever is thrown, nothing is left running.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir)
  if (!(Number.isInteger(options.port) && options.port >= 0 && options.port <= 65_535))
    throw new StartRefused('PORT must be a number from 0 to 65535.')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const opened: Opened = [{ close: await claimFolder(dataDir) }]
  try {
    const { postgresUrl, natsUrl } = await startServers(options, dataDir, opened)
    const [sandboxPort = 0, filesPort = 0, ...ports] = await freePorts(2 + RPC_SERVICES.length)
    const settings = await keepSettings(dataDir, { sandboxPort, filesPort })
    options.log('Preparing the databases.')
    const databases = await prepareDatabases(postgresUrl, settings.databasePassword)
    const env = commonEnv(options.env, natsUrl, settings, ports)
    const services = await startServices(options, dataDir, databases, env, settings, opened)
    const demo = await makeDemo(dataDir, natsUrl, settings, services.sandboxUrl)
    const run = { ...services, postgresUrl, natsUrl, pid: process.pid, demo }
    opened.push({ close: () => removeRunFile(dataDir) })
    await writeRunFile(dataDir, run)
    return { run, close: () => closeAll(opened) }
  } catch (error) {
    await closeAll(opened).catch((failure: unknown) => options.log(String(failure)))
    throw error
  }
}

/** Closes the newest first, and every one whatever happens to the others. */
async function closeAll(opened: Opened): Promise<void> {
  const failures: unknown[] = []
  for (const part of opened.toReversed())
    await part.close().catch((error: unknown) => void failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'Not every part closed in order.')
}

/** Starts things side by side. A failure is told after all of them have ended, so that all can be closed. */
async function sideBySide<const T extends readonly unknown[]>(starting: T) {
  await Promise.allSettled(starting)
  return Promise.all(starting)
}

async function startServers(
  { env, log }: StackOptions,
  dataDir: string,
  opened: Opened,
): Promise<{ postgresUrl: string; natsUrl: string }> {
  const own = async (start: () => Promise<{ url: string; stop: () => Promise<void> }>) => {
    const server = await start()
    opened.push({ close: server.stop })
    return server.url
  }
  const [postgresUrl, natsUrl] = await sideBySide([
    env.POSTGRES_URL ||
      own(() => {
        log('Starting Postgres.')
        return startPostgres({ dataDir: join(dataDir, 'postgres') })
      }),
    env.NATS_URL ||
      own(async () => {
        const binary = await ensureNatsServer({ log, env })
        log('Starting NATS.')
        return startNats({ dataDir: join(dataDir, 'nats'), binary })
      }),
  ])
  return { postgresUrl, natsUrl }
}

const RPC_SERVICES = ['accounts', 'quota', 'channels', 'media', 'posts', 'publisher'] as const

function commonEnv(env: Env, natsUrl: string, settings: KeptSettings, ports: number[]) {
  return (name: string): Env => ({
    ...env,
    NATS_URL: natsUrl,
    LOG_LEVEL: env.LOG_LEVEL ?? 'warn',
    // The gateway shares this process with everything else, and would refuse requests for the sake of others.
    MAX_LAG_MS: env.MAX_LAG_MS ?? '0',
    INTERNAL_HOST: '127.0.0.1',
    INTERNAL_PORT: String(ports[RPC_SERVICES.findIndex((service) => service === name)] ?? 0),
    RPC_SECRET: settings.rpcSecret,
    RPC_DIRECT: RPC_SERVICES.map((service, i) => `${service}=http://127.0.0.1:${ports[i]}`).join(),
  })
}

async function startServices(
  options: StackOptions,
  dataDir: string,
  databases: DatabaseUrls,
  common: (name: string) => Env,
  settings: KeptSettings,
  opened: Opened,
): Promise<{ apiUrl: string; sandboxUrl: string; filesUrl: string }> {
  options.log('Starting the services.')
  const start = async (name: Parameters<typeof startOwn>[0], env: Env): Promise<Running> => {
    const service = await startOwn(name, { ...common(name), ...env }).catch((error: unknown) => {
      throw isPortTaken(error) ? portTaken(name, env.PORT ?? env.FILES_PORT) : error
    })
    opened.push(service)
    return service
  }
  const filesUrl = `http://127.0.0.1:${settings.filesPort}`
  const sandbox = await start('sandbox', {
    HOST: '127.0.0.1',
    PORT: String(settings.sandboxPort),
    SANDBOX_DATA_DIR: join(dataDir, 'sandbox'),
  })
  const platforms = Object.assign(
    {},
    ...(await sandboxPlatforms(sandbox.url)).map((one) => one.settings),
  )
  await sideBySide([
    start('accounts', { DATABASE_URL: databases.accounts, API_KEY_PEPPER: settings.apiKeyPepper }),
    start('quota', { DATABASE_URL: databases.quota }),
    start('channels', {
      // Platforms that the environment says nothing of are those of the sandbox.
      ...platforms,
      ...options.env,
      DATABASE_URL: databases.channels,
      CREDENTIALS_KEY: settings.credentialsKey,
      ALLOW_PRIVATE_PLATFORM_URLS: 'true',
    }),
    start('media', {
      DATABASE_URL: databases.media,
      FILES_PORT: String(settings.filesPort),
      STORAGE: options.env.STORAGE || 'disk',
      STORAGE_DIR: join(dataDir, 'media'),
      STORAGE_SIGNING_KEY: settings.storageSigningKey,
    }),
    start('posts', { DATABASE_URL: databases.posts }),
    start('publisher', { DATABASE_URL: databases.publisher, MEDIA_FILES_URL: filesUrl }),
  ])
  const gateway = await start('gateway', { HOST: '127.0.0.1', PORT: String(options.port) })
  return { apiUrl: gateway.url, sandboxUrl: sandbox.url, filesUrl }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

/** The sandbox and the file server keep their ports, because addresses in the databases point there. */
function portTaken(name: string, port = '') {
  const advice =
    name === 'gateway' ? 'Set PORT to another one.' : 'Stop that program, and try again.'
  return new StartRefused(`Another program uses port ${port} of the ${name}. ${advice}`)
}

async function makeDemo(
  dataDir: string,
  natsUrl: string,
  settings: KeptSettings,
  sandboxUrl: string,
): Promise<RunFile['demo']> {
  const logger = createLogger({ service: 'stack', level: 'warn' })
  const bus = connectBus({ natsUrl, name: 'stack', logger })
  try {
    await bus.connection()
    const options = { bus, secret: settings.rpcSecret, logger }
    return await keepDemo(dataDir, sandboxUrl, {
      accounts: rpcClient(accounts, options),
      channels: rpcClient(channels, options),
    })
  } finally {
    await bus.close()
  }
}
