import { AppError, unavailable } from '@herald/contracts/errors'
import type { media, StoredMedia } from '@herald/contracts/media'
import type { Handlers } from '@herald/contracts/rpc'
import { once } from '@herald/event-store/idempotency'
import { forOrganization } from '@herald/event-store/organization'
import { checkProjections, rebuildProjections } from '@herald/event-store/rebuild'
import { WorkersBusy } from '@herald/media-files/workers-busy'
import { StorageUnavailable } from '@herald/storage/errors'
import { attach, type OwnMedia, release, requireReady } from './attachments.ts'
import { completeUpload } from './complete.ts'
import { createUpload } from './create-upload.ts'
import type { Deps } from './deps.ts'
import { importMedia } from './import.ts'
import { list } from './list.ts'
import { mediaStream } from './media-stream.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { findMedia, findReady } from './queries.ts'
import { removeMedia } from './remove.ts'
import { renditions } from './rendition.ts'
import { slots } from './slots.ts'
import { usedBytes } from './storage-use.ts'
import { toMedia, toStored } from './view.ts'

/** Every type of stream that the service has. */
export const MEDIA_STREAMS = [mediaStream]

/** What the media service answers. */
export function mediaHandlers(deps: Deps): Handlers<typeof media> {
  const { store, settings } = deps
  const imports = slots(settings.imports)
  const rendition = renditions(deps)
  const completing = oneAtATime<Awaited<ReturnType<typeof completeUpload>>>()
  return {
    import: (input) =>
      once(store.pool, 'media.import', input, (keep) =>
        whileStorageIsAway(
          imports.run(input.caller.organizationId, () => importMedia(deps, input, keep)),
        ),
      ),
    createUpload: (input) =>
      once(store.pool, 'media.createUpload', input, (keep) =>
        whileStorageIsAway(createUpload(deps, input, keep)),
      ),
    complete: (input) =>
      once(store.pool, 'media.complete', input, (keep) =>
        whileStorageIsAway(
          completing(`${input.caller.organizationId} ${input.mediaId}`, () =>
            completeUpload(deps, input, keep),
          ),
        ),
      ),

    async get({ caller, mediaId }) {
      const row = await findMedia(store.pool, caller.organizationId, mediaId)
      if (!row) throw new AppError('not_found', 'There is no such file.')
      return toMedia(row, { filesUrl: settings.filesUrl, now: deps.now() })
    },

    list: (input) => list(deps, input),
    remove: (input) => removeMedia(deps, input),
    attach: (input) => attach(deps, input),
    release: (input) => release(store.pool, input),
    getForPosting: async (input) => ({
      data: await requireReady(
        forOrganization(store.pool, input.organizationId),
        input,
        settings.filesUrl,
      ),
    }),

    getForPublishing: (input) => getForPublishing(deps, input),
    rendition: (input) => whileStorageIsAway(rendition(input)),

    async usage({ organizationId }) {
      const bytes = await usedBytes(store.pool, organizationId)
      return { bytes, limitBytes: settings.maxStoredBytes }
    },

    checkProjections: () => checkProjections(store.pool, MEDIA_STREAMS),
    rebuildProjections: () => rebuildProjections(store.pool, MEDIA_STREAMS),
  }
}

async function getForPublishing(
  { store, settings }: Deps,
  { organizationId, mediaIds }: OwnMedia,
): Promise<{ data: StoredMedia[] }> {
  const door = forOrganization(store.pool, organizationId)
  const rows = await findReady(door, organizationId, mediaIds)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const found = mediaIds.map((id) => byId.get(id)).filter((row) => row !== undefined)
  if (found.length < mediaIds.length)
    throw new AppError('not_found', 'A file of the post is not there any more.')
  return { data: found.map((row) => toStored(row, settings.filesUrl)) }
}

/** Storage that does not answer, and workers that have too much to do, are 503 and not a bug. */
async function whileStorageIsAway<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof StorageUnavailable || error instanceof WorkersBusy
      ? unavailable(error)
      : error
  }
}
