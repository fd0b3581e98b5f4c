import { join } from 'node:path'
import { AppError, unavailable } from '@herald/contracts/errors'
import { newId } from '@herald/contracts/ids'
import { type ImportMediaBody, MAX_FILE_BYTES, type Media } from '@herald/contracts/media'
import type { Caller } from '@herald/contracts/posts'
import { RiderRefused } from '@herald/event-store/errors'
import { handle, type Versioned } from '@herald/event-store/handle'
import { isClaimLost, type KeepAnswer } from '@herald/event-store/idempotency'
import { metaOf } from '@herald/event-store/meta'
import type { Inspection } from '@herald/media-files/inspection'
import { UnreadableFile } from '@herald/media-files/unreadable-file'
import { type Download, DownloadRefused } from '@herald/safe-fetch/download'
import { crashPoint } from '@herald/service/crash-point'
import type { Deps } from './deps.ts'
import type { MediaState } from './domain/state.ts'
import { nameForDownload, requireFittingEnding } from './file-name.ts'
import { type ImportHold, importHold } from './import-hold.ts'
import { giveOwner, keepFile } from './keep-file.ts'
import { mediaStream } from './media-stream.ts'
import { type Received, receive } from './receive.ts'
import { viewOfState } from './view.ts'
import { withWorkFolder } from '@herald/media-files/work-folder'

/** The largest file of any kind. Which kind it is shows when it is there. */
const MOST_BYTES = Math.max(...Object.values(MAX_FILE_BYTES))

export type ImportInput = { caller: Caller; body: ImportMediaBody }

/** Downloads a file into the library (specification, "POST /media/import"). Whatever goes wrong, nothing of it stays. */
export async function importMedia(
  deps: Deps,
  { caller, body }: ImportInput,
  keepAnswer: KeepAnswer<Media>,
): Promise<Media> {
  const { organizationId } = caller
  const hold = importHold(deps.store.pool, organizationId, deps.settings.maxStoredBytes)
  return withWorkFolder(deps.settings.workFolders, async (folder) => {
    try {
      const path = join(folder, 'file')
      const { download, received } = await fetchFile(deps, body.url, path, hold)
      const inspection = await deps.inspect(path, folder)
      requireSize(inspection, received)
      const name = body.fileName ?? nameForDownload(download.fileName, inspection.mimeType)
      requireFittingEnding(name, inspection.mimeType)
      crashPoint('media.import-inspected')
      const fetched = { path, received, inspection, name, body, keepAnswer }
      return await keep(deps, caller, hold, fetched)
    } catch (error) {
      await hold.release().catch((failure: unknown) => {
        deps.logger.warn({ error: failure }, 'Bytes of an import are given back when they expire.')
      })
      throw refusalOf(deps, error)
    }
  })
}

async function fetchFile(deps: Deps, url: string, path: string, hold: ImportHold) {
  const download: Download = await deps.download(url, {
    ...deps.settings.downloads,
    maxBytes: MOST_BYTES,
  })
  try {
    if (download.contentLength !== undefined) await hold.cover(download.contentLength)
    const received = await receive(download.body, path, hold.cover)
    return { download, received }
  } finally {
    download.body.destroy()
  }
}

type Fetched = {
  path: string
  received: Received
  inspection: Inspection
  name: string
  body: ImportMediaBody
  keepAnswer: KeepAnswer<Media>
}

async function keep(
  deps: Deps,
  { organizationId, actor }: Caller,
  hold: ImportHold,
  { path, received, inspection, name, body, keepAnswer }: Fetched,
): Promise<Media> {
  const now = deps.now()
  const id = newId('media', now)
  const kept = await keepFile(deps, path, received, inspection)
  const command = {
    type: 'ImportMedia',
    organizationId,
    actor,
    createdAt: new Date(now).toISOString(),
    fileName: name,
    altText: body.altText ?? null,
    file: kept.file,
  } as const
  const answer = ({ state, version }: Versioned<MediaState>): Media =>
    viewOfState(state, { id, version }, { filesUrl: deps.settings.filesUrl, now })
  const imported = await giveOwner(kept, () =>
    handle(deps.store, mediaStream, id, command, {
      organizationId,
      meta: metaOf(actor),
      isNew: true,
      riders: (_events, after) => [
        ...keepAnswer(answer(after)),
        ...hold.settle(received.sizeBytes),
        kept.own,
      ],
    }),
  ).catch((error: unknown) => {
    // It took so long that its bytes were given back or its objects were removed.
    throw error instanceof RiderRefused && !isClaimLost(error) ? unavailable(error) : error
  })
  crashPoint('media.imported')
  return answer(imported)
}

function requireSize({ type }: Inspection, { sizeBytes }: Received): void {
  const limit = MAX_FILE_BYTES[type]
  if (sizeBytes > limit)
    throw new AppError(
      'validation_failed',
      `The file has ${sizeBytes} bytes; a file of this type may have ${limit}.`,
    )
}

/** Every refusal of an address reads the same, so that nobody can find out with it what stands behind our walls. */
function refusalOf({ logger }: Deps, error: unknown): unknown {
  if (error instanceof UnreadableFile)
    return new AppError('validation_failed', error.message, { cause: error })
  if (!(error instanceof DownloadRefused)) return error
  logger.info({ reason: error.reason }, 'An import was refused.')
  return new AppError('validation_failed', error.message, {
    details: { issues: [{ path: 'url', message: 'cannot be downloaded' }] },
  })
}
