import type { Channel, ChannelRestriction } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import type { AttachedMedia } from '@herald/contracts/media'
import { newId } from '@herald/contracts/ids'
import { type Caller, CreatePostBody, type Post } from '@herald/contracts/posts'
import type { Platform } from '@herald/contracts/platforms'
import { createLogger } from '@herald/service/logger'
import { openDatabase } from '@herald/event-store/database'
import { testDatabase } from '@herald/testing/database'
import type { z } from 'zod'
import type { Deps } from '../src/deps.ts'
import { postsHandlers } from '../src/handlers.ts'
import { migrate } from '../src/migrate.ts'
import type { PostsDatabase } from '../src/schema.ts'

const RULES = {
  requiresMedia: false,
  requiresVideo: false,
  maxImages: 4,
  maxChars: 500,
  requiredFields: [],
}

export type World = Awaited<ReturnType<typeof postsWorld>>

/**
 * The posts service's operations on a database of one test. An organization has two channels that work, one that
 * must be authorized again, and one that is disconnected, which the channels service does not answer.
 */
export async function postsWorld(connections = 10) {
  const copy = await testDatabase('posts', migrate)
  const database = openDatabase<PostsDatabase>({ url: copy.url, name: 'posts-test', connections })
  const owner = openDatabase({ url: copy.ownerUrl, name: 'posts-test-owner' })
  const owners = new Map<Channel, string>()
  const clock = { offsetMs: 0 }
  const wakes = { count: 0 }
  const library = testLibrary()
  const quota = testQuota()
  const deps: Deps = {
    database,
    store: { pool: database.pool },
    channels: {
      getForPosting: async ({ organizationId, channelIds }) => ({
        data: [...owners]
          .filter(([{ id }, owner]) => owner === organizationId && channelIds.includes(id))
          .map(([channel]) => ({ ...channel, limits: {} })),
      }),
    },
    media: library,
    logger: createLogger({ service: 'posts', level: 'silent' }),
    quota,
    now: () => Date.now() + clock.offsetMs,
    onDue: () => void wakes.count++,
    requireChecked: () => undefined,
  }
  const handlers = postsHandlers(deps)

  function connect(organizationId: string, platform: Platform, change: Partial<Channel> = {}) {
    const channel: Channel = {
      id: newId('channel'),
      platform,
      platformName: platform,
      name: 'A channel',
      username: 'someone',
      avatarUrl: null,
      status: 'active',
      rules: { ...RULES, maxChars: platform === 'BLUESKY' ? 300 : 500 },
      ...change,
    }
    owners.set(channel, organizationId)
    return channel.id
  }

  /** From now on it is not connected, or in need of its owner. */
  function disconnect(channelId: string, status?: 'reauth_required') {
    for (const [channel, owner] of Array.from(owners)) {
      if (channel.id !== channelId) continue
      owners.delete(channel)
      if (status) owners.set({ ...channel, status }, owner)
    }
  }

  function organization() {
    const id = newId('organization')
    return {
      id,
      mastodon: connect(id, 'MASTODON'),
      bluesky: connect(id, 'BLUESKY'),
      stale: connect(id, 'MASTODON', { status: 'reauth_required' }),
      disconnected: newId('channel'),
    }
  }

  const own = organization()
  const caller = (channels: ChannelRestriction = 'all', organizationId = own.id): Caller => ({
    organizationId,
    channels,
    actor: 'key:key_1',
  })
  return {
    database,
    /** Sees the rows of all organizations, as no service does. */
    pool: owner.pool,
    deps,
    handlers,
    clock,
    wakes,
    library,
    quota,
    own,
    organization,
    connect,
    disconnect,
    caller,
    create(body: Partial<z.input<typeof CreatePostBody>> = {}, as = caller()): Promise<Post> {
      const full = { content: 'Hello', channelIds: [own.mastodon], ...body }
      return handlers.create({ caller: as, source: 'api', body: CreatePostBody.parse(full) })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([database.close(), owner.close()])
      await copy[Symbol.asyncDispose]()
    },
  }
}

/** The quota service as posts see it: what is taken at the moment, of as many as the test says. */
function testQuota() {
  const taken = new Set<string>()
  const quota = {
    limit: Infinity,
    taken,
    reservePost: async ({ postId }: { postId: string }) => {
      if (taken.size >= quota.limit) throw new AppError('limit_reached', 'No more posts.')
      taken.add(postId)
      return {}
    },
    releasePost: async ({ postId }: { postId: string }) => {
      taken.delete(postId)
      return {}
    },
  }
  return quota
}

/** What a call is refused with; fails when it is not refused. */
export async function refusalOf(call: Promise<unknown>) {
  const outcome: unknown = await call.then(
    (answer) => new Error(`was not refused: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  )
  if (!(outcome instanceof AppError)) throw outcome
  const { code, status, message, details } = outcome
  return { code, status, message, details }
}

/** What each of some calls, which run at once, is refused with. */
export function refusalsOf(...calls: Promise<unknown>[]) {
  return Promise.all(calls.map(refusalOf))
}

/** An instant this many seconds from now, ISO 8601 in UTC. */
export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString()
}

/** Everything the posts database holds, for telling that nothing changed. */
export async function contentsOf({ pool }: World): Promise<Record<string, unknown[]>> {
  const tables = ['streams', 'events', 'outbox', 'posts', 'post_channels', 'due', 'recent_posts']
  const contents: Record<string, unknown[]> = {}
  for (const table of tables)
    contents[table] = (
      await pool.query(`select to_jsonb(t) as row from ${table} t order by 1`)
    ).rows
  return contents
}

/** Makes posts due by the database's clock: the world's clock runs behind, so they were scheduled in its past. */
export async function createDue(
  world: World,
  body: Parameters<World['create']>[0] = {},
  secondsAgo = 5,
): Promise<Post> {
  const before = world.clock.offsetMs
  world.clock.offsetMs = -secondsAgo * 1000
  try {
    return await world.create(body)
  } finally {
    world.clock.offsetMs = before
  }
}

type Attach = { postId: string; mediaIds: string[]; sequence?: number | undefined }

/** A media library whose files are all the organization's own, and which notes the posts that hold some. */
function testLibrary() {
  const files = new Map<string, AttachedMedia>()
  const held = new Map<string, string[]>()
  const sequences = new Map<string, number>()
  const released: string[] = []
  return {
    held,
    /** The versions at which posts that had ended hold theirs again. */
    sequences,
    released,
    /** How long after the answer the hold is good. */
    goodForMs: 60_000,
    add(change: Partial<AttachedMedia> = {}): AttachedMedia {
      const file: AttachedMedia = {
        id: newId('media'),
        type: 'image',
        mimeType: 'image/png',
        sizeBytes: 1000,
        width: 640,
        height: 480,
        durationSeconds: null,
        altText: null,
        url: 'https://files.example/files/1.png',
        ...change,
      }
      files.set(file.id, file)
      return file
    },
    remove: (id: string) => files.delete(id),
    async getForPosting({ mediaIds }: { mediaIds: string[] }) {
      const data = mediaIds.map((id) => files.get(id)).filter((file) => file !== undefined)
      if (data.length < mediaIds.length) throw new AppError('validation_failed', 'Unknown file.')
      return { data }
    },
    async attach({ postId, mediaIds, sequence }: Attach) {
      const { data } = await this.getForPosting({ mediaIds })
      held.set(postId, mediaIds)
      if (sequence !== undefined) sequences.set(postId, sequence)
      return { data, goodForMs: this.goodForMs }
    },
    async release({ postId }: { postId: string }) {
      released.push(postId)
      return { released: held.delete(postId) ? 1 : 0 }
    },
  }
}
