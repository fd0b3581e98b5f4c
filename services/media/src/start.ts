import { tmpdir } from 'node:os'
import { media } from '@herald/contracts/media'
import { posts } from '@herald/contracts/posts'
import type { Pool } from '@herald/event-store/database'
import { openEventStore } from '@herald/event-store/open'
import { whileDatabaseIsAway } from '@herald/event-store/unavailable'
import { FileFacts } from '@herald/media-files/inspection'
import { openMediaWorkers } from '@herald/media-files/media-workers'
import { download } from '@herald/safe-fetch/download'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { createLogger, type Logger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { startService } from '@herald/service/start-service'
import { type MediaConfig, MediaEnv } from './config.ts'
import type { Deps, Settings } from './deps.ts'
import { describerFrom } from './describe/describer.ts'
import { fileServer } from './file-server.ts'
import { mediaHandlers } from './handlers.ts'
import { consumeReadyMedia } from './on-media-ready.ts'
import { consumePostEvents } from './on-post-event.ts'
import { openStorage } from './open-storage.ts'
import { toPublicEvent } from './public-events.ts'
import type { MediaDatabase } from './schema.ts'
import { serveFiles } from './serve-files.ts'
import { startCleaner, startSweep } from './sweep.ts'
import { removeDeadFolders } from './work-folder.ts'

const NAME = 'media'

/**
 * Starts the media service: its RPC, the relay of its events, the server of files, and what works in the background.
 * `filesUrl` is where files are served.
 */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(MediaEnv, env)
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL })
  await using opened = new AsyncDisposableStack()
  const bus = connectBus({ natsUrl: config.NATS_URL, name: NAME, logger })
  opened.defer(() => bus.close())
  const { RPC_SECRET: secret, RPC_DIRECT: direct } = config
  const events = await openEventStore<MediaDatabase>({
    name: NAME,
    config,
    bus,
    logger,
    toPublic: toPublicEvent,
  })
  opened.defer(events.close)
  const { database, store } = events
  const { storage, origins, filesUrl, close } = await openFiles(config, database.pool, logger)
  opened.defer(close)
  const settings = settingsOf(config, filesUrl, origins)
  await removeDeadFolders(settings.workFolder)
  const workers = await openWorkers(config)
  opened.defer(workers.close)
  logger.info({ isolation: workers.isolation() }, 'Files are read in processes of their own.')
  const cleaner = startCleaner({ store, storage, logger })
  opened.defer(cleaner.close)
  const deps: Deps = {
    database,
    store,
    storage,
    inspect: (path, thumbnailFolder) => workers.inspect(path, { thumbnailFolder }),
    download,
    posts: rpcClient(posts, { bus, direct: direct.get('posts'), secret, logger }),
    settings,
    now: events.now,
    onDoomed: cleaner.wake,
    logger,
  }
  const sweep = startSweep(deps)
  opened.defer(sweep.close)
  const describe = describerFrom(config, {
    describeFile: (path, facts) =>
      workers.describe(path, { ...FileFacts.parse(facts), thumbnail: null }),
  })
  const service = await startService({
    name: NAME,
    config,
    bus,
    logger,
    rpc: { contract: media, handlers: whileDatabaseIsAway(mediaHandlers(deps)) },
    consumers: [consumePostEvents(database.pool), consumeReadyMedia({ ...deps, describe })],
    isReady: async () => (await events.isReady()) && storage.isReady(),
    onClose: () => closing.disposeAsync(),
  })
  const closing = opened.move()
  return { ...service, filesUrl }
}

/** Opens storage and serves the files in it. Their address is known for certain when the server listens. */
async function openFiles(config: MediaConfig, pool: Pool, logger: Logger) {
  let filesUrl = config.FILES_PUBLIC_URL ?? ''
  const uploadsUrl = () => `${filesUrl}/uploads`
  const { storage, uploads, origins } = await openStorage(config, uploadsUrl, logger)
  const uploadWithinMs = config.UPLOAD_WINDOW_SECONDS * 1000
  const app = fileServer({ pool, storage, uploads, uploadWithinMs, logger })
  const listener = await serveFiles(app, { host: config.FILES_HOST, port: config.FILES_PORT })
  filesUrl ||= listener.url
  return { storage, origins, filesUrl, close: listener.close }
}

function openWorkers(config: MediaConfig) {
  return openMediaWorkers({
    workers: config.MEDIA_WORKERS,
    ...(config.FFMPEG !== undefined && { ffmpegPath: config.FFMPEG }),
  })
}

function settingsOf(config: MediaConfig, filesUrl: string, storageOrigins: string[]): Settings {
  const own = [filesUrl, config.API_PUBLIC_URL, ...storageOrigins]
  return {
    filesUrl,
    maxStoredBytes: config.MAX_STORED_BYTES,
    uploadWindowSeconds: config.UPLOAD_WINDOW_SECONDS,
    imports: {
      most: config.IMPORTS,
      mostOfOne: config.IMPORTS_PER_ORGANIZATION,
      waitMs: 30_000,
    },
    workFolder: config.WORK_DIR ?? tmpdir(),
    downloads: {
      allowPrivate: config.ALLOW_PRIVATE_IMPORTS,
      deniedOrigins: own.filter((origin) => origin !== undefined),
      ...(config.ALLOW_PRIVATE_IMPORTS ? {} : { ports: config.IMPORT_PORTS }),
    },
  }
}
