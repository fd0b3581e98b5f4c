import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHerald, type Herald } from '@herald/client'
import type { NewPost } from '@herald/client/resources'
import { accounts } from '@herald/contracts/accounts'
import { channels } from '@herald/contracts/channels'
import type { Post } from '@herald/contracts/posts'
import { media } from '@herald/contracts/media'
import { posts } from '@herald/contracts/posts'
import type { Platform } from '@herald/contracts/platforms'
import type { Limits } from '@herald/contracts/quota'
import type { Client } from '@herald/contracts/rpc'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { testDatabase } from '@herald/testing/database'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { documentedFetch, fetchDocumented } from '@herald/testing/openapi-check'
import { expect } from 'vitest'
import { freePorts } from '../src/free-port.ts'

import { sandboxPlatforms } from '../src/sandbox-platforms.ts'
import { DATABASE_OWNERS, type Env, migrateOwn, type Running, startOwn } from '../src/services.ts'
import { sandboxClient, type SandboxClient } from './sandbox-client.ts'
import { watchEvents } from './watch-events.ts'

type Owner = (typeof DATABASE_OWNERS)[number]

export type WorldOptions = {
  /** Services that each run as processes of their own, so many of each; the others run in this one. */
  processes?: Partial<Record<Owner, number>>
  /** Whether the gateway runs as a process of its own too. */
  gatewayProcess?: boolean
  env?: Env
  /** What the processes of one service have besides. */
  envOf?: (name: Owner | 'gateway') => Env
  /** What every plan allows; nothing is limited unless said here. */
  limits?: Partial<Record<keyof Limits, number | null>>
  /** Users of NATS, each program with its own; without it NATS asks for none. */
  natsUsers?: NatsUsers
  /** Postgres to use instead of the one of the test run. */
  databaseUrls?: Record<Owner, string>
}

export type NatsUsers = {
  /** The server's settings that make the users. */
  settings: string
  /** The server's address for a user. */
  urlFor: (natsUrl: string, user: string) => string
  /** Makes what services may not make. */
  provision: (natsUrl: string) => Promise<void>
}

export type World = {
  apiUrl: string
  apiKey: string
  organizationId: string
  /** One channel for each platform. */
  mastodon: TestChannel
  bluesky: TestChannel
  nats: Awaited<ReturnType<typeof testNats>>
  sandbox: SandboxClient
  accounts: Client<typeof accounts>
  channels: Client<typeof channels>
  posts: Client<typeof posts>
  media: Client<typeof media>
  databaseUrls: Record<Owner, string>
  /** Starts one more gateway and answers its address. */
  addGateway: () => Promise<string>
  /** Starts one more process of a service; `crashAt` makes it kill itself at that point. */
  spawn: (name: Owner, crashAt?: string) => ChildProcess
  /** Kills the processes of a service. */
  kill: (name: Owner) => Promise<void>
  /** Starts a service in this process that was left out with `processes: { name: 0 }`; the test closes it. */
  startHere: (name: Owner) => Promise<Running>
  /** Calls the API with the organization's key, once: no call is made again. */
  herald: Herald
  /** The same for what is wrong on purpose. */
  call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: never }>
  create: (body: NewPost) => Promise<Post>
  get: (id: string) => Promise<Post>
  [Symbol.asyncDispose]: () => Promise<void>
}

export type TestChannel = { id: string; account: string; platform: Platform }

/** Quick timings, so that what takes minutes in production takes seconds here. */
const QUICK: Env = {
  RECONCILE_SECONDS: '0.3,0.8,1.5',
  COMMIT_TIMEOUT_SECONDS: '1.5',
  PREPARE_TIMEOUT_SECONDS: '30',
  LEASE_SECONDS: '3',
  // Everything runs in one process here, so that its gateway is late for the sake of others.
  MAX_LAG_MS: '0',
  BACKOFF_SECONDS: '0.2',
  LOG_LEVEL: process.env.HERALD_TEST_LOG ?? 'silent',
  ALLOW_PRIVATE_PLATFORM_URLS: 'true',
}

/** The whole of Herald on real servers of its own, with an organization, a key and two sandbox channels. */
export async function testWorld(options: WorldOptions = {}): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats(options.natsUsers))
  await options.natsUsers?.provision(nats.url)
  const natsUrl = (user: string) => options.natsUsers?.urlFor(nats.url, user) ?? nats.url
  if (!options.natsUsers) stack.use(await watchEvents(nats.url))
  const databaseUrls = options.databaseUrls ?? (await makeDatabases(stack))
  const [filesPort = 0, ...ports] = await freePorts(1 + DATABASE_OWNERS.length)
  const folder = stack.use(temporaryFolder())
  const env: Env = {
    ...QUICK,
    HERALD_PLANS_FILE: await writePlans(stack, options.limits),
    ...(options.natsUsers && { HERALD_PROVISION: 'off' }),
    RPC_SECRET: randomBytes(32).toString('base64'),
    API_KEY_PEPPER: randomBytes(32).toString('base64'),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    FILES_PORT: String(filesPort),
    MEDIA_FILES_URL: `http://127.0.0.1:${filesPort}`,
    STORAGE: 'disk',
    STORAGE_DIR: join(folder.path, 'storage'),
    STORAGE_SIGNING_KEY: randomBytes(32).toString('base64'),
    WORK_DIR: folder.path,
    ALLOW_PRIVATE_IMPORTS: 'true',
    RPC_DIRECT: DATABASE_OWNERS.map((name, i) => `${name}=http://127.0.0.1:${ports[i]}`).join(),
    ...options.env,
  }
  const envOf = (name: Owner, isFirst = true): Env => ({
    ...env,
    NATS_URL: natsUrl(name),
    DATABASE_URL: databaseUrls[name],
    INTERNAL_PORT: isFirst ? String(ports[DATABASE_OWNERS.indexOf(name)]) : '0',
  })
  const children: { name: string; child: ChildProcess }[] = []
  const kill = async (wanted?: Owner) => {
    const ended = children.filter(({ name }) => name === (wanted ?? name))
    await Promise.all(ended.map(({ child }) => killChild(child)))
  }
  stack.defer(() => kill())
  const spawnOne = (name: Owner | 'gateway', own: Env) => {
    const child = spawnService(name, { ...own, ...options.envOf?.(name) })
    children.push({ name, child })
    return child
  }
  const spawnOwn = (name: Owner, crashAt = '', isFirst = false) =>
    spawnOne(name, { ...envOf(name, isFirst), HERALD_CRASH_AT: crashAt })
  const sandbox = await startOwn('sandbox', { ...env, PORT: '0', HOST: '127.0.0.1' })
  stack.defer(sandbox.close)
  for (const { settings } of await sandboxPlatforms(sandbox.url)) Object.assign(env, settings)
  await Promise.all(
    DATABASE_OWNERS.map(async (name) => {
      const processes = options.processes?.[name]
      if (processes !== undefined) {
        for (let index = 0; index < processes; index++) spawnOwn(name, '', index === 0)
        if (processes > 0) await isReady(`http://127.0.0.1:${ports[DATABASE_OWNERS.indexOf(name)]}`)
        return
      }
      const service = await startOwn(name, envOf(name))
      stack.defer(service.close)
    }),
  )
  const gateways = stack.use(new AsyncDisposableStack())
  const addGateway = async () => {
    if (options.gatewayProcess) {
      const [port] = await freePorts(1)
      spawnOne('gateway', {
        ...env,
        NATS_URL: natsUrl('gateway'),
        PORT: String(port),
        HOST: '127.0.0.1',
      })
      await isReady(`http://127.0.0.1:${port}`)
      return `http://127.0.0.1:${port}`
    }
    const gateway = await startOwn('gateway', {
      ...env,
      NATS_URL: natsUrl('gateway'),
      PORT: '0',
      HOST: '127.0.0.1',
    })
    gateways.defer(gateway.close)
    return gateway.url
  }
  const apiUrl = await addGateway()
  const made = await makeOrganization(stack, natsUrl('herald'), sandbox.url)
  const herald = createHerald({
    apiKey: made.apiKey,
    baseUrl: `${apiUrl}/v1`,
    maxRetries: 0,
    fetch: documentedFetch(apiUrl),
  })
  const moved = stack.move()
  return {
    ...made,
    apiUrl,
    addGateway,
    nats,
    databaseUrls,
    spawn: spawnOwn,
    kill,
    startHere: (name) => startOwn(name, envOf(name)),
    herald,
    call: caller(apiUrl, made.apiKey),
    sandbox: sandboxClient(sandbox.url),
    create: (body) => herald.posts.create(body),
    get: (id) => herald.posts.get(id),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** A plans file in which all plans are the same. */
async function writePlans(
  stack: AsyncDisposableStack,
  limits: WorldOptions['limits'] = {},
): Promise<string> {
  const none = { requestsPerMinute: null, requestsPerMonth: null, postsPerMonth: null }
  const plan = { apiAccess: true, ...none, ...limits }
  const file = join(stack.use(temporaryFolder()).path, 'plans.json')
  await writeFile(file, JSON.stringify({ FREE: plan, PRO: plan, TEAM: plan, ENTERPRISE: plan }))
  return file
}

async function makeDatabases(stack: AsyncDisposableStack): Promise<Record<Owner, string>> {
  const urls: Partial<Record<Owner, string>> = {}
  for (const name of DATABASE_OWNERS) {
    const database = await testDatabase(name, (url) => migrateOwn(name, url))
    stack.use(database)
    urls[name] = database.url
  }
  return urls as Record<Owner, string>
}

async function makeOrganization(stack: AsyncDisposableStack, natsUrl: string, sandboxUrl: string) {
  const logger = createLogger({ service: 'test', level: 'silent' })
  const bus = connectBus({ natsUrl, name: 'herald', logger })
  stack.defer(() => bus.close())
  await bus.connection()
  const options = { bus, secret: '', logger }
  const clients = {
    accounts: rpcClient(accounts, options),
    channels: rpcClient(channels, options),
    media: rpcClient(media, options),
    posts: rpcClient(posts, options),
  }
  const { id: organizationId } = await clients.accounts.createOrganization({
    name: 'Test',
    plan: 'ENTERPRISE',
  })
  const key = await clients.accounts.createKey({
    organizationId,
    name: 'Test',
    scopes: ['read', 'publish'],
  })
  const connect = async (platform: TestChannel['platform']): Promise<TestChannel> => {
    const account = await sandboxClient(sandboxUrl).createAccount(platform)
    const { baseUrl, credentials } = account
    const channel = await clients.channels.connect({
      organizationId,
      platform,
      baseUrl,
      credentials,
    })
    return { id: channel.id, account: account.account, platform }
  }
  const [mastodon, bluesky] = [await connect('MASTODON'), await connect('BLUESKY')]
  return { ...clients, organizationId, apiKey: key.secret, mastodon, bluesky }
}

function spawnService(name: string, env: Env): ChildProcess {
  const main = new URL(`../../../services/${name}/src/main.ts`, import.meta.url).pathname
  const preload = new URL('../../telemetry/src/preload.ts', import.meta.url).pathname
  return spawn(process.execPath, ['--import', preload, main], {
    env: { ...process.env, SERVICE: name, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

async function isReady(url: string): Promise<void> {
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeoutMs: 60_000,
  })
}

/** Kills a child process, if it still runs, and waits until it is gone. */
export async function killChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

function caller(apiUrl: string, apiKey: string): World['call'] {
  return async (method, path, body) => {
    const response = await fetchDocumented(apiUrl, `/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
    return { status: response.status, body: (await response.json()) as never }
  }
}
