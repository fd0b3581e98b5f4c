import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import {
  type CreateUploadBody,
  type ImportMediaBody,
  MAX_STORED_BYTES,
  type Media,
  type MediaUpload,
} from '@herald/contracts/media'
import type { Caller } from '@herald/contracts/posts'
import { openDatabase } from '@herald/event-store/database'
import { checkProjections } from '@herald/event-store/rebuild'
import { openMediaWorkers } from '@herald/media-files/media-workers'
import { download } from '@herald/safe-fetch/download'
import { createLogger } from '@herald/service/logger'
import { createDiskStorage } from '@herald/storage/disk-storage'
import type { Storage } from '@herald/storage/storage'
import { testDatabase } from '@herald/testing/database'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import type { Deps, Settings } from '../src/deps.ts'
import { removeNextDoomed } from '../src/doomed-objects.ts'
import { fileServer } from '../src/file-server.ts'
import { mediaHandlers } from '../src/handlers.ts'
import { mediaStream } from '../src/media-stream.ts'
import { migrate } from '../src/migrate.ts'
import type { MediaDatabase } from '../src/schema.ts'
import { serveFiles } from '../src/serve-files.ts'
import { sweep } from '../src/sweep.ts'
import { png } from './pictures.ts'

export type World = Awaited<ReturnType<typeof mediaWorld>>

export type WorldOptions = {
  settings?: Partial<Settings>
  deps?: (deps: Deps) => Partial<Deps>
  connections?: number
  /** Instead of a folder. */
  storage?: Storage
}

// Starting a worker takes longer than most tests, so the tests of a file share theirs.
const workers = openMediaWorkers({ idleMs: 600_000 })

/**
 * The media service's operations on a database and a folder of one test, with a real file server, real workers and
 * real downloads from this machine.
 */
export async function mediaWorld(options: WorldOptions = {}) {
  await using stack = new AsyncDisposableStack()
  const { url, ownerUrl } = stack.use(await testDatabase('media', migrate))
  const database = openDatabase<MediaDatabase>({
    url,
    name: 'media-test',
    connections: options.connections ?? 10,
  })
  stack.defer(database.close)
  const owner = openDatabase({ url: ownerUrl, name: 'media-test-owner' })
  stack.defer(owner.close)
  const folder = stack.use(temporaryFolder())
  const logger = createLogger({ service: 'media', level: process.env.HERALD_TEST_LOG ?? 'silent' })
  let filesUrl = ''
  const disk = createDiskStorage({
    folder: `${folder.path}/storage`,
    publicUrl: () => `${filesUrl}/uploads`,
    accessKey: 'test',
    secretKey: randomBytes(32).toString('base64'),
  })
  const storage: Storage = options.storage ?? disk
  const uploads = options.storage ? undefined : disk.handleUpload
  const served = { pool: database.pool, storage, uploads, uploadWithinMs: 900_000, logger }
  const app = fileServer(served)
  const server = await serveFiles(app, { host: '127.0.0.1', port: 0 })
  stack.defer(server.close)
  filesUrl = server.url
  const clock = { offsetMs: 0 }
  const postsHolding = new Set<string>()
  const own = newId('organization')
  const { inspect, convertImage } = await workers
  const deps: Deps = {
    database,
    store: { pool: database.pool },
    storage,
    inspect: (path, thumbnailFolder) => inspect(path, { thumbnailFolder }),
    convertImage,
    download,
    posts: {
      holding: async ({ postIds }) => ({ data: postIds.filter((id) => postsHolding.has(id)) }),
      get: async () => {
        throw new AppError('not_found', 'There is no such post.')
      },
    },
    settings: {
      filesUrl,
      maxStoredBytes: MAX_STORED_BYTES,
      uploadWindowSeconds: 900,
      imports: { most: 8, mostOfOne: 8, waitMs: 30_000 },
      workFolders: { parent: folder.path, service: 'media' },
      downloads: { allowPrivate: true, deniedOrigins: [filesUrl] },
      ...options.settings,
    },
    now: () => Date.now() + clock.offsetMs,
    onDoomed: () => {},
    logger,
  }
  Object.assign(deps, options.deps?.(deps))
  const handlers = mediaHandlers(deps)
  const caller = (organizationId = own, channels: Caller['channels'] = 'all'): Caller => ({
    organizationId,
    channels,
    actor: 'key:key_1',
  })
  const moved = stack.move()
  return {
    deps,
    handlers,
    storage,
    handleUpload: disk.handleUpload,
    database,
    /** Sees the rows of all organizations, as no service does. */
    pool: owner.pool,
    folder: folder.path,
    filesUrl,
    clock,
    own,
    caller,
    /** The posts that need their files, as the posts service says. */
    postsHolding,
    announce: (body: Partial<CreateUploadBody> = {}, as = caller()) =>
      handlers.createUpload({
        caller: as,
        body: {
          fileName: 'picture.png',
          mimeType: 'image/png',
          fileSize: png().length,
          ...body,
        },
      }),
    complete: (mediaId: string, as = caller()) => handlers.complete({ caller: as, mediaId }),
    get: (mediaId: string, as = caller()) => handlers.get({ caller: as, mediaId }),
    import: (body: ImportMediaBody, as = caller()) => handlers.import({ caller: as, body }),
    remove: (mediaId: string, as = caller()) => handlers.remove({ caller: as, mediaId }),
    list: (query: { type?: 'image' | 'video' | 'document' | 'media'; q?: string } = {}) =>
      handlers.list({ caller: caller(), limit: 100, ...query }),
    async used(organizationId = own): Promise<number> {
      return (await handlers.usage({ organizationId })).bytes
    },
    /** Removes every object whose time has come. */
    async clean(): Promise<void> {
      while (await removeNextDoomed(database.pool, deps.storage)) continue
    },
    sweep: () => sweep(deps),
    /** The keys of all objects in storage. */
    async objects(): Promise<string[]> {
      const keys = []
      for await (const { key } of storage.list('')) keys.push(key)
      return keys.toSorted()
    },
    [Symbol.asyncDispose]: async () => {
      const { mismatches } = await checkProjections(database.pool, [mediaStream])
      await moved.disposeAsync()
      if (mismatches.length > 0)
        throw new Error(`Read model and events differ: ${mismatches.join()}`)
    },
  }
}

/** Sends bytes as an upload instruction says. */
export function put({ upload }: MediaUpload, bytes: Uint8Array): Promise<Response> {
  const body = new Uint8Array(bytes)
  return fetch(upload.url, { method: upload.method, headers: upload.headers, body })
}

/** A ready file of these bytes, by the three steps. */
export async function uploaded(
  world: World,
  bytes: Buffer = png(),
  body: Partial<CreateUploadBody> = {},
  as = world.caller(),
): Promise<Media> {
  const announced = await world.announce({ fileSize: bytes.length, ...body }, as)
  const answer = await put(announced, bytes)
  if (answer.status !== 200) throw new Error(`PUT answered ${answer.status}.`)
  return world.complete(announced.media.id, as)
}

/** A server on this machine to import from. */
export async function origin(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The refusal that a call ends with. */
export async function refusalOf(call: Promise<unknown>): Promise<AppError> {
  const outcome: unknown = await call.then(
    (answer) => new Error(`was not refused: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  )
  if (outcome instanceof AppError) return outcome
  throw outcome
}

/** Moves everything in the database into the past, as if the time had passed. */
export async function letPass({ pool }: Pick<World, 'pool'>, interval: string): Promise<void> {
  await pool.query(
    `update media set expires_at = expires_at - $1::interval where status = 'pending'`,
    [interval],
  )
  await pool.query(`update doomed_objects set not_before = not_before - $1::interval`, [interval])
  await pool.query(`update import_holds set expires_at = expires_at - $1::interval`, [interval])
  await pool.query(`update attachments set attached_at = attached_at - $1::interval`, [interval])
}
