import { randomBytes } from 'node:crypto'
import type { Channel, channels } from '@herald/contracts/channels'
import { newId } from '@herald/contracts/ids'
import type { Handlers } from '@herald/contracts/rpc'
import { type Database, openDatabase } from '@herald/event-store/database'
import { platformOf } from '@herald/platforms/registry'
import { platformSettings } from '@herald/platforms/settings'
import { createLogger } from '@herald/service/logger'
import { testDatabase } from '@herald/testing/database'
import type { VersionedSecrets } from '@herald/service/versioned-secrets'
import type { Deps } from '../src/deps.ts'
import { channelsHandlers } from '../src/handlers.ts'
import { migrate } from '../src/migrate.ts'
import { shortCache } from '../src/short-cache.ts'
import { type FakePlatform, fakePlatform } from './fake-platform.ts'
import { type RotatingPlatform, rotatingPlatform } from './rotating-platform.ts'

const X_SETTINGS = { apiUrl: 'https://x.example', clientSecret: 'secret-of-x' }

type Connection = Database<Record<string, never>>

export type ChannelsWorld = AsyncDisposable & {
  platform: FakePlatform
  /** Plays X. */
  rotating: RotatingPlatform
  /** Moves the service's clock on. */
  advance: (ms: number) => void
  organizationId: string
  /** Sees the rows of all organizations, as no service does. */
  pool: Connection['pool']
  deps: Deps
  handlers: Handlers<typeof channels>
  /** A second process of the service on the same database, with a key for credentials of its own if one is given. */
  another: (credentialsKeys?: VersionedSecrets) => Handlers<typeof channels>
  /** What that process works with. */
  other: Deps
  /** Lines of the log. */
  log: string[]
  /** Connects an account of X. */
  x: (account?: string) => Promise<Channel>
  mastodon: (username?: string) => Promise<Channel>
  bluesky: (handle?: string) => Promise<Channel>
}

/** The operations of the service on a database and a platform of their own. */
export async function channelsWorld(): Promise<ChannelsWorld> {
  await using stack = new AsyncDisposableStack()
  const platform = stack.use(await fakePlatform())
  const { url, ownerUrl } = stack.use(await testDatabase('channels', migrate))
  const open = (as = url): Connection => {
    const database = openDatabase<Record<string, never>>({ url: as, name: 'test' })
    stack.defer(database.close)
    return database
  }
  const connections = [open(), open(), open(), open()] as const
  const log: string[] = []
  let ahead = 0
  const now = () => Date.now() + ahead
  const rotating = rotatingPlatform(now)
  const settings = platformSettings({})
  const deps: Deps = {
    store: { pool: connections[0].pool },
    renewals: connections[1].pool,
    renewing: new Map(),
    platformOf: (name) => (name === 'X' ? rotating.definition : platformOf(name)),
    choices: shortCache({ keepMs: 60_000, maxEntries: 100 }),
    onDue: () => {},
    settings: { ...settings, of: (name) => (name === 'X' ? X_SETTINGS : settings.of(name)) },
    credentialsKeys: [{ version: 1, secret: randomBytes(32) }],
    allowPrivate: true,
    now,
    logger: createLogger({
      service: 'channels',
      level: 'trace',
      destination: { write: (line) => void log.push(line) },
    }),
  }
  const handlers = channelsHandlers(deps)
  const other: Deps = {
    ...deps,
    store: { pool: connections[2].pool },
    renewals: connections[3].pool,
    renewing: new Map(),
    choices: shortCache({ keepMs: 60_000, maxEntries: 100 }),
  }
  const organizationId = newId('organization')
  const { pool } = open(ownerUrl)
  const moved = stack.move()
  return {
    platform,
    rotating,
    advance: (ms) => void (ahead += ms),
    organizationId,
    pool,
    deps,
    handlers,
    log,
    another: (credentialsKeys = deps.credentialsKeys) =>
      channelsHandlers({ ...other, credentialsKeys }),
    other,
    x: (account = 'anna') =>
      handlers.connect({ organizationId, platform: 'X', credentials: { account } }),
    mastodon: (username = 'anna') => {
      const accessToken = `token-of-${username}`
      platform.tokens.set(accessToken, username)
      const account = { platform: 'MASTODON', credentials: { accessToken } } as const
      return handlers.connect({ organizationId, baseUrl: platform.url, ...account })
    },
    bluesky: (handle = 'anna.example') => {
      const credentials = { identifier: handle, appPassword: `password-of-${handle}` }
      platform.passwords.set(handle, credentials.appPassword)
      const account = { platform: 'BLUESKY', credentials } as const
      return handlers.connect({ organizationId, baseUrl: platform.url, ...account })
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** A Bluesky channel whose access token must be renewed before it is used. */
export async function expiredBluesky(world: ChannelsWorld): Promise<Channel> {
  const { lifetimeMs } = world.platform
  world.platform.lifetimeMs = 1_000
  const channel = await world.bluesky()
  world.platform.lifetimeMs = lifetimeMs
  world.platform.calls.length = 0
  return channel
}

/** The types of a stream's events, oldest first. */
export async function typesOf({ pool }: ChannelsWorld, id: string): Promise<string[]> {
  const { rows } = await pool.query<{ type: string }>(
    'select type from events where stream_id = $1 order by version',
    [id],
  )
  return rows.map(({ type }) => type)
}

/** Every row of every table as text; binary columns in hex and, where they are text, as text. */
export async function everythingStored({ pool }: ChannelsWorld): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
  )
  const texts = tables.map(async ({ name }) => {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`)
    return rows.map(({ row }) => row)
  })
  const plain = (await Promise.all(texts)).flat().join('\n')
  const decoded = plain
    .match(/\\x[0-9a-f]+/g)
    ?.map((hex) => Buffer.from(hex.slice(2), 'hex').toString('latin1'))
  return [plain, ...(decoded ?? [])].join('\n')
}
