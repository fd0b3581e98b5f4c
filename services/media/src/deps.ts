import type { posts } from '@herald/contracts/posts'
import type { Client } from '@herald/contracts/rpc'
import type { Database } from '@herald/event-store/database'
import type { EventStore } from '@herald/event-store/handle'
import type { Download, DownloadOptions } from '@herald/safe-fetch/download'
import type { Inspection } from '@herald/media-files/inspection'
import type { MediaWorkers } from '@herald/media-files/media-workers'
import type { WorkFolders } from '@herald/media-files/work-folder'
import type { Logger } from '@herald/service/logger'
import type { Storage } from '@herald/storage/storage'
import type { MediaDatabase } from './schema.ts'

/** Reads files of strangers, away from this process. Throws `UnreadableFile` for one that is not what it should be. */
export type Inspect = (path: string, outputFolder: string) => Promise<Inspection>

/** What the operations of the media service work with. */
export type Deps = {
  database: Database<MediaDatabase>
  store: EventStore
  storage: Storage
  inspect: Inspect
  convertImage: MediaWorkers['convertImage']
  download: (address: string, options: DownloadOptions) => Promise<Download>
  posts: Pick<Client<typeof posts>, 'get' | 'holding'>
  settings: Settings
  /** The database's time in milliseconds since 1970. */
  now: () => number
  /** Tells the cleaner that an object may go at once. */
  onDoomed: () => void
  logger: Logger
}

export type Settings = {
  /** Where files are served, without a trailing slash. */
  filesUrl: string
  maxStoredBytes: number
  uploadWindowSeconds: number
  /** Imports under way at a time, of all organizations together and of one. */
  imports: { most: number; mostOfOne: number; waitMs: number }
  /** Where temporary files go. */
  workFolders: WorkFolders
  downloads: Pick<DownloadOptions, 'allowPrivate' | 'deniedOrigins' | 'ports'>
}
