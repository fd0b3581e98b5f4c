import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { CONSUMERS } from '@herald/contracts/consumers'
import { unavailable } from '@herald/contracts/errors'
import type { CloudEvent } from '@herald/contracts/events'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { UnreadableFile } from '@herald/media-files/unreadable-file'
import { WorkersBusy } from '@herald/media-files/workers-busy'
import type { Consumer } from '@herald/service/consumer'
import { StorageMissing, StorageUnavailable } from '@herald/storage/errors'
import type { Deps } from './deps.ts'
import { DescribeFailed } from './describe/describe-failed.ts'
import type { Describer, FileToDescribe } from './describe/describer.ts'
import { mediaStream } from './media-stream.ts'
import { findMedia } from './queries.ts'
import { receive } from './receive.ts'
import type { MediaRow } from './schema.ts'
import { withWorkFolder } from '@herald/media-files/work-folder'

export type DescribeDeps = Pick<Deps, 'store' | 'storage' | 'settings' | 'logger'> & {
  describe: Describer
}

/** Describes each file that became ready, in the background. A file that cannot be described stays as it is. */
export function consumeReadyMedia(deps: DescribeDeps): Consumer {
  return {
    ...CONSUMERS.mediaDescriber,
    maxDeliver: 8,
    backoffMs: [1_000, 5_000, 30_000, 120_000, 600_000],
    handle: (event) => onMediaReady(deps, event),
  }
}

/** Describes one file, unless that has been done or the file is gone. Throws when it should be tried again. */
export async function onMediaReady(deps: DescribeDeps, event: CloudEvent): Promise<void> {
  const { subject: id, organizationid: organizationId } = event
  const row = await findMedia(deps.store.pool, organizationId, id)
  if (row?.status !== 'ready' || row.description !== null) return
  const description = await withWorkFolder(deps.settings.workFolders, (folder) =>
    deps.describe(fileOf(deps, row, folder)),
  ).catch((error: unknown) => refusalOf(deps, id, error))
  if (description === null) return
  await handle(
    deps.store,
    mediaStream,
    id,
    { type: 'Describe', description },
    { organizationId, meta: metaOf('describer') },
  )
}

function fileOf({ storage }: DescribeDeps, row: MediaRow, folder: string): FileToDescribe {
  const { object_key: objectKey, thumbnail_key: thumbnailKey } = row
  return {
    fileName: row.file_name,
    facts: {
      type: row.type === 'audio' ? 'document' : row.type,
      mimeType: row.mime_type,
      width: row.width,
      height: row.height,
      durationSeconds: row.duration_seconds,
      pages: row.pages,
      isAnimated: row.is_animated,
    },
    path: async () => {
      const path = join(folder, 'file')
      await receive(await storage.get(objectKey ?? ''), path)
      return path
    },
    thumbnail: async () =>
      thumbnailKey === null
        ? null
        : {
            image: await buffer(await storage.get(thumbnailKey)),
            mimeType: thumbnailKey.endsWith('.webp') ? 'image/webp' : 'image/jpeg',
          },
  }
}

/** A failure that will not pass ends the matter without a description; the others are tried again later. */
function refusalOf({ logger }: DescribeDeps, id: string, error: unknown): null {
  if (error instanceof StorageUnavailable || error instanceof WorkersBusy) throw unavailable(error)
  // A file that was deleted meanwhile needs no description.
  if (error instanceof StorageMissing) return null
  const isFinal =
    error instanceof UnreadableFile || (error instanceof DescribeFailed && !error.retryable)
  if (!isFinal) throw error
  logger.warn({ error, id }, 'A file was not described.')
  return null
}
