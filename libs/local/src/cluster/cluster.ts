import { randomBytes } from 'node:crypto'
import { accounts } from '@herald/contracts/accounts'
import { channels } from '@herald/contracts/channels'
import type { Client } from '@herald/contracts/rpc'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseUrls } from '../databases.ts'
import { keepDemo } from '../demo-organization.ts'
import type { RunFile } from '../run-file.ts'
import { sandboxPlatforms } from '../sandbox-platforms.ts'
import { DATABASE_OWNERS, type Env, startOwn } from '../services.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { makeProcesses, type Processes } from './processes.ts'
import type { ReplicatedService } from './replica.ts'

export const REPLICATED_SERVICES = [...DATABASE_OWNERS, 'gateway'] as const

export type ClusterOptions = {
  databaseUrls: DatabaseUrls
  natsUrl: string
  /** A folder for everything else; it is empty. */
  folder: string
  /** How many processes of each service; one unless said otherwise. */
  replicas?: Partial<Record<ReplicatedService, number>>
  /** Settings of all services; with `STORAGE=s3` the media service may have several processes. */
  env?: Env
}

export type Cluster = Processes & {
  apiUrl: string
  sandboxUrl: string
  demo: RunFile['demo']
  accounts: Client<typeof accounts>
}

const NO_LIMITS = {
  apiAccess: true,
  requestsPerMinute: null,
  requestsPerMonth: null,
  postsPerMonth: null,
}

/**
 * Herald as in production: every service in processes of its own behind one address, on the given databases and NATS.
 * The sandbox runs in this process. There is no limit on what the demo organization may do.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  await using stack = new AsyncDisposableStack()
  const sandbox = await startOwn('sandbox', { ...options.env, PORT: '0', HOST: '127.0.0.1' })
  stack.defer(sandbox.close)
  const running = stack.use(await startServices(options, sandbox.url))
  const clients = await connect(options, stack)
  const demo = await keepDemo(options.folder, sandbox.url, clients)
  const moved = stack.move()
  return {
    ...running,
    accounts: clients.accounts,
    demo,
    sandboxUrl: sandbox.url,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

async function startServices(options: ClusterOptions, sandboxUrl: string) {
  await using stack = new AsyncDisposableStack()
  const balance = async () => stack.use(await startBalancer())
  const roads = {} as Record<ReplicatedService, Balancer>
  for (const name of REPLICATED_SERVICES) roads[name] = await balance()
  const files = await balance()
  const env = await settings(options, { sandboxUrl, roads, filesUrl: files.url })
  const { add, stopOldest, killOldest } = stack.use(makeProcesses({ roads, files, env }))
  const countOf = (name: ReplicatedService) => options.replicas?.[name] ?? 1
  await Promise.all(
    REPLICATED_SERVICES.flatMap((name) => Array.from({ length: countOf(name) }, () => add(name))),
  )
  await roads.gateway.untilReady(countOf('gateway'))
  const moved = stack.move()
  return {
    apiUrl: roads.gateway.url,
    add,
    stopOldest,
    killOldest,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** What each service is told; the same for all of its processes. */
async function settings(
  { databaseUrls, natsUrl, folder, env }: ClusterOptions,
  urls: { sandboxUrl: string; filesUrl: string; roads: Record<ReplicatedService, Balancer> },
): Promise<(name: ReplicatedService) => Env> {
  const secret = () => randomBytes(32).toString('base64')
  const plansFile = join(folder, 'plans.json')
  const plans = { FREE: NO_LIMITS, PRO: NO_LIMITS, TEAM: NO_LIMITS, ENTERPRISE: NO_LIMITS }
  await mkdir(join(folder, 'work'), { recursive: true })
  await writeFile(plansFile, JSON.stringify(plans))
  const platforms = await sandboxPlatforms(urls.sandboxUrl)
  const common: Env = {
    NATS_URL: natsUrl,
    LOG_LEVEL: 'error',
    RPC_SECRET: secret(),
    RPC_DIRECT: DATABASE_OWNERS.map((name) => `${name}=${urls.roads[name].url}`).join(),
    API_KEY_PEPPER: secret(),
    CREDENTIALS_KEY: secret(),
    HERALD_PLANS_FILE: plansFile,
    DRAIN_SECONDS: '3',
    // As in the chart: a connection that only rests a while must not end just when it is used again.
    KEEP_ALIVE_TIMEOUT_MS: '75000',
    // The machine is shared with the load and everything else, for whose sake nothing is to be refused.
    MAX_LAG_MS: '0',
    STORAGE: 'disk',
    STORAGE_DIR: join(folder, 'storage'),
    STORAGE_SIGNING_KEY: secret(),
    WORK_DIR: join(folder, 'work'),
    FILES_PUBLIC_URL: urls.filesUrl,
    MEDIA_FILES_URL: urls.filesUrl,
    MEDIA_WORKERS: '1',
    DESCRIBER: 'off',
    ALLOW_PRIVATE_IMPORTS: 'true',
    ALLOW_PRIVATE_PLATFORM_URLS: 'true',
    ...Object.assign({}, ...platforms.map((one) => one.settings)),
    ...env,
  }
  return (name) => ({
    ...common,
    ...(name !== 'gateway' && { DATABASE_URL: databaseUrls[name] }),
  })
}

async function connect({ natsUrl }: ClusterOptions, stack: AsyncDisposableStack) {
  const logger = createLogger({ service: 'cluster', level: 'silent' })
  const bus = connectBus({ natsUrl, name: 'cluster', logger })
  stack.defer(() => bus.close())
  await bus.connection()
  const options = { bus, secret: '', logger }
  return {
    accounts: rpcClient(accounts, options),
    channels: rpcClient(channels, options),
  }
}
