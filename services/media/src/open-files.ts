import type { Pool } from '@herald/event-store/database'
import { type MediaWorkers, openMediaWorkers } from '@herald/media-files/media-workers'
import type { Logger } from '@herald/service/logger'
import type { Storage } from '@herald/storage/storage'
import type { MediaConfig } from './config.ts'
import { fileServer } from './file-server.ts'
import { openStorage } from './open-storage.ts'
import { serveFiles } from './serve-files.ts'

export type OpenFiles = {
  storage: Storage
  workers: MediaWorkers
  /** Where files are served. */
  filesUrl: string
  /** Addresses from which nothing is imported. */
  ownOrigins: string[]
  /** Lets those go who fetch and send files. */
  drain: () => void
  close: () => Promise<void>
}

/** Opens what files are kept, served and read with: the storage, the server of files, and the processes that read them. */
export async function openFiles(
  config: MediaConfig,
  { pool, logger }: { pool: Pool; logger: Logger },
): Promise<OpenFiles> {
  await using opened = new AsyncDisposableStack()
  let filesUrl = config.FILES_PUBLIC_URL ?? ''
  const uploadsUrl = () => `${filesUrl}/uploads`
  const { storage, uploads, origins } = await openStorage(config, uploadsUrl, logger)
  const uploadWithinMs = config.UPLOAD_WINDOW_SECONDS * 1000
  const app = fileServer({ pool, storage, uploads, uploadWithinMs, logger })
  const listener = await serveFiles(app, { host: config.FILES_HOST, port: config.FILES_PORT })
  opened.defer(listener.close)
  filesUrl = config.FILES_PUBLIC_URL ?? listener.url
  const workers = await openMediaWorkers({
    workers: config.MEDIA_WORKERS,
    ...(config.FFMPEG !== undefined && { ffmpegPath: config.FFMPEG }),
  })
  opened.defer(workers.close)
  logger.info({ isolation: workers.isolation() }, 'Files are read in processes of their own.')
  const moved = opened.move()
  return {
    storage,
    workers,
    filesUrl,
    ownOrigins: [filesUrl, config.API_PUBLIC_URL, ...origins].filter((url) => url !== undefined),
    drain: listener.drain,
    close: () => moved.disposeAsync(),
  }
}
