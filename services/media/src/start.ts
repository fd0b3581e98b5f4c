import { tmpdir } from 'node:os'
import { media } from '@herald/contracts/media'
import { posts } from '@herald/contracts/posts'
import { openEventStore } from '@herald/event-store/open'
import { whileDatabaseIsAway } from '@herald/event-store/unavailable'
import { download } from '@herald/safe-fetch/download'
import { connectBus } from '@herald/service/bus'
import { loadConfig } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { startService } from '@herald/service/start-service'
import { type MediaConfig, MediaEnv } from './config.ts'
import type { Deps, Settings } from './deps.ts'
import { describerFrom } from './describe/describer.ts'
import { MEDIA_STREAMS, mediaHandlers } from './handlers.ts'
import { consumeReadyMedia } from './on-media-ready.ts'
import { consumePostEvents } from './on-post-event.ts'
import { openFiles, type OpenFiles } from './open-files.ts'
import { toPublicEvent } from './public-events.ts'
import type { MediaDatabase } from './schema.ts'
import { startCleaner, startSweep } from './sweep.ts'
import { removeDeadWorkFolders } from '@herald/media-files/work-folder'

const NAME = 'media'

/**
 * Starts the media service: its RPC, the relay of its events, the server of files, and what works in the background.
 * `filesUrl` is where files are served.
 */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(MediaEnv, env)
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL })
  await using opened = new AsyncDisposableStack()
  const bus = connectBus({
    natsUrl: config.NATS_URL,
    name: NAME,
    provision: config.HERALD_PROVISION,
    logger,
  })
  opened.defer(() => bus.close())
  const { RPC_SECRET: secret, RPC_DIRECT: direct } = config
  const events = await openEventStore<MediaDatabase>({
    name: NAME,
    config,
    bus,
    logger,
    toPublic: toPublicEvent,
    streamTypes: MEDIA_STREAMS,
  })
  opened.defer(events.close)
  const { database, store } = events
  const files = await openFiles(config, { pool: database.pool, logger })
  opened.defer(files.close)
  const { storage, workers, filesUrl } = files
  const settings = settingsOf(config, files)
  await removeDeadWorkFolders(settings.workFolders)
  const cleaner = startCleaner({ store, storage, logger })
  opened.defer(cleaner.close)
  const deps: Deps = {
    database,
    store,
    storage,
    inspect: (path, thumbnailFolder) => workers.inspect(path, { thumbnailFolder }),
    convertImage: workers.convertImage,
    download,
    posts: rpcClient(posts, { bus, direct: direct.get('posts'), secret, logger }),
    settings,
    now: events.now,
    onDoomed: cleaner.wake,
    logger,
  }
  const sweep = startSweep(deps)
  opened.defer(sweep.close)
  const describe = describerFrom(config, { describeFile: workers.describe })
  const service = await startService({
    name: NAME,
    config,
    bus,
    logger,
    rpc: { contract: media, handlers: whileDatabaseIsAway(mediaHandlers(deps)) },
    consumers: [consumePostEvents(database.pool), consumeReadyMedia({ ...deps, describe })],
    isReady: async () => (await events.isReady()) && storage.isReady(),
    onDrain: files.drain,
    onClose: () => closing.disposeAsync(),
  })
  const closing = opened.move()
  return { ...service, filesUrl }
}

function settingsOf(config: MediaConfig, { filesUrl, ownOrigins }: OpenFiles): Settings {
  return {
    filesUrl,
    maxStoredBytes: config.MAX_STORED_BYTES,
    uploadWindowSeconds: config.UPLOAD_WINDOW_SECONDS,
    imports: {
      most: config.IMPORTS,
      mostOfOne: config.IMPORTS_PER_ORGANIZATION,
      waitMs: 30_000,
    },
    workFolders: { parent: config.WORK_DIR ?? tmpdir(), service: NAME },
    downloads: {
      allowPrivate: config.ALLOW_PRIVATE_IMPORTS,
      deniedOrigins: ownOrigins,
      ...(!config.ALLOW_PRIVATE_IMPORTS && { ports: config.IMPORT_PORTS }),
    },
  }
}
