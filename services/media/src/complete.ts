import { join } from 'node:path'
import { AppError } from '@herald/contracts/errors'
import type { Media } from '@herald/contracts/media'
import type { Caller } from '@herald/contracts/posts'
import { RiderRefused } from '@herald/event-store/errors'
import { handle, loadStream, type Versioned } from '@herald/event-store/handle'
import { isClaimLost, type KeepAnswer } from '@herald/event-store/idempotency'
import { metaOf } from '@herald/event-store/meta'
import { forOrganization } from '@herald/event-store/organization'
import { UnreadableFile } from '@herald/media-files/unreadable-file'
import { crashPoint } from '@herald/service/crash-point'
import { StorageMissing } from '@herald/storage/errors'
import type { Deps } from './deps.ts'
import { requireMedia, requireOpen, requireSameKind } from './domain/media.ts'
import type { MediaState, PendingMedia } from './domain/state.ts'
import { giveOwner, keepFile, type Kept } from './keep-file.ts'
import { mediaStream } from './media-stream.ts'
import { type Received, receive } from './receive.ts'
import { viewOfState } from './view.ts'
import { withWorkFolder } from '@herald/media-files/work-folder'

export type CompleteInput = { caller: Caller; mediaId: string }
type Ended = Versioned<MediaState>

/**
 * Marks an upload ready after reading all of its bytes (specification, "POST /media/{id}/complete"). The same upload
 * completed again, also at the same time, comes to the same file.
 */
export async function completeUpload(
  deps: Deps,
  { caller, mediaId }: CompleteInput,
  keepAnswer: KeepAnswer<Media>,
): Promise<Media> {
  const answer = ({ state, version }: Ended): Media =>
    viewOfState(
      state,
      { id: mediaId, version },
      { filesUrl: deps.settings.filesUrl, now: deps.now() },
    )
  return answer(await complete(deps, caller, mediaId, (after) => keepAnswer(answer(after))))
}

async function complete(
  deps: Deps,
  caller: Caller,
  mediaId: string,
  keepAnswer: KeepAnswer<Ended>,
): Promise<Ended> {
  const now = new Date(deps.now()).toISOString()
  const { organizationId } = caller
  const found = await loadStream(
    forOrganization(deps.store.pool, organizationId),
    mediaStream,
    mediaId,
    organizationId,
  )
  const state = requireMedia(found.state)
  if (state.status === 'ready') return found
  requireOpen(state, now)
  if (state.status !== 'pending') return found
  return withWorkFolder(deps.settings.workFolders, async (folder) => {
    const kept = await verify(deps, state, folder)
    const command = { type: 'CompleteUpload', file: kept.file, now } as const
    const ended = await giveOwner(kept, () =>
      handle(deps.store, mediaStream, mediaId, command, {
        organizationId,
        meta: metaOf(caller.actor),
        riders: (_events, after) => [...keepAnswer(after), kept.own],
      }),
    ).catch((error: unknown) => {
      throw error instanceof RiderRefused && !isClaimLost(error) ? tookTooLong(error) : error
    })
    crashPoint('media.completed')
    return ended
  })
}

function tookTooLong(cause: unknown): AppError {
  return new AppError('conflict', 'The check of the file took too long. Try again.', { cause })
}

/** Reads the uploaded bytes to their end and keeps them. What is not good is removed, so that it can be sent again. */
async function verify(deps: Deps, state: PendingMedia, folder: string): Promise<Kept> {
  const { stagingKey, sizeBytes, mediaType } = state
  const head = await deps.storage.head(stagingKey)
  if (!head) throw nothingUploaded()
  const path = join(folder, 'file')
  try {
    if (head.sizeBytes !== sizeBytes) throw wrongSize(sizeBytes, head.sizeBytes)
    const received: Received = await receive(await deps.storage.get(stagingKey), path)
    if (received.sizeBytes !== sizeBytes) throw wrongSize(sizeBytes, received.sizeBytes)
    const inspection = await deps.inspect(path, folder)
    requireSameKind(mediaType, inspection.type)
    return await keepFile(deps, path, received, inspection)
  } catch (error) {
    // Another process has refused the same bytes and removed them.
    if (error instanceof StorageMissing) throw nothingUploaded()
    const refusal = refusalOf(error)
    if (!refusal) throw error
    await deps.storage.delete(stagingKey)
    crashPoint('media.refused')
    throw refusal
  }
}

function nothingUploaded(): AppError {
  return new AppError(
    'conflict',
    'Nothing has been uploaded yet. PUT the bytes of the file to the upload address first.',
  )
}

function wrongSize(announced: number, found: number): AppError {
  return new AppError(
    'validation_failed',
    `The upload was announced with ${announced} bytes, and ${found} bytes were sent.`,
  )
}

/** What is wrong with the file itself, and not with Herald. */
function refusalOf(error: unknown): AppError | undefined {
  if (error instanceof UnreadableFile)
    return new AppError('validation_failed', error.message, { cause: error })
  return error instanceof AppError && error.code === 'validation_failed' ? error : undefined
}
