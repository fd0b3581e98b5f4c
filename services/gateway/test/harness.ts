import { ErrorEnvelope } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import type { Media } from '@herald/contracts/media'
import type { Post } from '@herald/contracts/posts'
import type { Admission } from '@herald/contracts/quota'
import { createLogger } from '@herald/service/logger'
import { fetchDocumented } from '@herald/testing/openapi-check'
import { expect, vi } from 'vitest'
import { createApp } from '../src/app.ts'
import { authentication } from '../src/authenticate.ts'
import { type HttpServerOptions, listen } from '../src/http-server.ts'
import type { QuotaClient } from '../src/batched-admissions.ts'
import type { ChannelsClient } from '../src/routes/channels.ts'
import type { MediaClient } from '../src/routes/media.ts'
import type { PostsClient } from '../src/routes/posts.ts'
import { testAccounts } from './keys.ts'

export type GatewayOptions = Partial<HttpServerOptions> & {
  posts?: Partial<PostsClient>
  channels?: Partial<ChannelsClient>
  media?: Partial<MediaClient>
  quota?: Partial<QuotaClient>
  trustedProxies?: string[]
  now?: () => number
  elapsed?: () => number
  isReady?: () => Promise<boolean>
  isOverloaded?: () => boolean
}

export type Send = {
  /** No key at all when null. */
  key?: string | null
  headers?: Record<string, string>
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown
}

/** A gateway on a real socket, with services that record what they are asked. */
export async function testGateway(options: GatewayOptions = {}) {
  const accounts = testAccounts()
  const { posts, channels, media, quota } = testServices(options)
  const log: Record<string, unknown>[] = []
  const logger = createLogger({
    service: 'gateway',
    level: 'info',
    destination: { write: (line) => void log.push(JSON.parse(line)) },
  })
  const { now, elapsed, trustedProxies = [], isReady = async () => true } = options
  const auth = authentication({ accounts, ...(now && { now }), ...(elapsed && { elapsed }) })
  const app = createApp({
    authenticate: auth.authenticate,
    posts,
    channels,
    media,
    quota,
    isReady,
    logger,
    ...(options.isOverloaded && { isOverloaded: options.isOverloaded }),
    trustedProxies,
    ...(elapsed && { elapsed }),
  })
  const server = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    keepAliveTimeoutMs: 5_000,
    maxRequestsPerSocket: 0,
    closeWithinMs: 5_000,
    ...options,
  })
  const { key, verified } = accounts.issue()
  const request = (method: string, path: string, sent: Send = {}) =>
    fetchDocumented(server.url, path, requestInit(method, sent, key))
  return {
    accounts,
    posts,
    channels,
    media,
    quota,
    log,
    key,
    verified,
    auth,
    request,
    url: server.url,
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  }
}
export type TestGateway = Awaited<ReturnType<typeof testGateway>>

function requestInit(method: string, { key, headers, body }: Send, ownKey: string): RequestInit {
  return {
    method,
    headers: {
      ...(key !== null && { Authorization: `Bearer ${key ?? ownKey}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
  }
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

export function testServices(options: GatewayOptions) {
  const page = { data: [], nextCursor: null }
  return {
    posts: {
      create: vi.fn<PostsClient['create']>(options.posts?.create ?? (async () => testPost())),
      get: vi.fn<PostsClient['get']>(options.posts?.get ?? (async () => testPost())),
      list: vi.fn<PostsClient['list']>(options.posts?.list ?? (async () => page)),
      edit: vi.fn<PostsClient['edit']>(options.posts?.edit ?? (async () => testPost())),
      validate: vi.fn<PostsClient['validate']>(
        options.posts?.validate ?? (async () => ({ valid: true, violations: [] })),
      ),
      events: vi.fn<PostsClient['events']>(options.posts?.events ?? (async () => page)),
      retry: vi.fn<PostsClient['retry']>(options.posts?.retry ?? (async () => testPost())),
      remove: vi.fn<PostsClient['remove']>(
        options.posts?.remove ??
          (async ({ postId }: { postId: string }) => ({ id: postId, deleted: true as const })),
      ),
    },
    channels: {
      list: vi.fn<ChannelsClient['list']>(options.channels?.list ?? (async () => ({ data: [] }))),
      choices: vi.fn<ChannelsClient['choices']>(
        options.channels?.choices ?? (async () => ({ data: [] })),
      ),
      finishConnect: vi.fn<ChannelsClient['finishConnect']>(
        options.channels?.finishConnect ?? (async () => ({ outcome: 'connected', channels: [] })),
      ),
      chooseAccounts: vi.fn<ChannelsClient['chooseAccounts']>(
        options.channels?.chooseAccounts ?? (async () => ({ channels: [] })),
      ),
    },
    media: testMediaService(options.media),
    quota: {
      admit: vi.fn<QuotaClient['admit']>(options.quota?.admit ?? admitAll),
    },
  }
}

function testMediaService(own: Partial<MediaClient> = {}) {
  const upload = {
    method: 'PUT' as const,
    url: 'https://storage.example/uploads/1',
    headers: { 'content-type': 'image/png' },
    expiresAt: '2026-11-21T07:15:00.000Z',
  }
  return {
    list: vi.fn<MediaClient['list']>(own.list ?? (async () => ({ data: [], nextCursor: null }))),
    import: vi.fn<MediaClient['import']>(own.import ?? (async () => testMedia())),
    createUpload: vi.fn<MediaClient['createUpload']>(
      own.createUpload ?? (async () => ({ media: testMedia(), upload, next: 'PUT the bytes.' })),
    ),
    get: vi.fn<MediaClient['get']>(own.get ?? (async () => testMedia())),
    remove: vi.fn<MediaClient['remove']>(
      own.remove ?? (async ({ mediaId }) => ({ id: mediaId, deleted: true as const })),
    ),
    complete: vi.fn<MediaClient['complete']>(own.complete ?? (async () => testMedia())),
  }
}

/** A file as the media service answers it. */
export function testMedia(): Media {
  return {
    id: newId('media'),
    type: 'image',
    status: 'ready',
    fileName: 'bread.png',
    mimeType: 'image/png',
    sizeBytes: 1234,
    url: 'https://files.example/files/1.png',
    thumbnailUrl: null,
    width: 640,
    height: 480,
    durationSeconds: null,
    altText: null,
    description: null,
    createdAt: '2026-11-21T07:00:00.000Z',
  }
}

/** The quota service, when it lets everything pass. */
export const admitAll: QuotaClient['admit'] = async ({ requests }) => ({
  admissions: requests.map(({ count }) => ({ ...ADMITTED, granted: count })),
})

/** The quota service's answer to a request that may go on. */
export const ADMITTED: Admission = {
  granted: 1,
  refusal: null,
  at: '2026-11-21T07:00:00.000Z',
  minute: { limit: 60, remaining: 12, resetsAt: '2026-11-21T07:00:00.400Z' },
  month: { limit: 10_000, used: 1_789, resetsAt: '2026-12-01T00:00:00.000Z' },
}

/** A post as the posts service answers it. */
export function testPost(): Post {
  return {
    id: newId('post'),
    status: 'scheduled',
    source: 'api',
    content: 'Fresh bread from seven.',
    scheduledAt: '2026-12-01T07:00:00.000Z',
    publishedAt: null,
    createdAt: '2026-11-21T07:00:00.000Z',
    channels: [],
    media: [],
    reddit: null,
  }
}

/** Checks status, envelope and the headers of every answer, and gives what stands in the envelope. */
export async function expectRefusal(response: Response, status: number, code: string) {
  const { error } = ErrorEnvelope.parse(await response.json())
  expect({ status: response.status, code: error.code }).toEqual({ status, code })
  expectFixedHeaders(response.headers)
  expect(response.headers.has('etag')).toBe(false)
  return error
}

/** The headers that every answer carries, and those that none carries. */
export function expectFixedHeaders(headers: Headers): void {
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
  const names = [...headers.keys()]
  expect(names).not.toContain('x-powered-by')
  expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([])
}
