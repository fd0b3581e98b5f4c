import { newId } from '@herald/contracts/ids'
import { type CreateUploadBody, FILE_TYPES, type MediaUpload } from '@herald/contracts/media'
import type { Caller } from '@herald/contracts/posts'
import { RiderRefused } from '@herald/event-store/errors'
import { handle, type Versioned } from '@herald/event-store/handle'
import { isClaimLost, type KeepAnswer } from '@herald/event-store/idempotency'
import { metaOf } from '@herald/event-store/meta'
import { crashPoint } from '@herald/service/crash-point'
import type { Deps } from './deps.ts'
import type { MediaState } from './domain/state.ts'
import { doom } from './doomed-objects.ts'
import { requireFittingEnding } from './file-name.ts'
import { mediaStream } from './media-stream.ts'
import { reserveBytes, storageFull } from './storage-use.ts'
import { viewOfState } from './view.ts'

/** How much longer than necessary what was put stays. */
const STAGING_GRACE_MS = 300_000

export type CreateUploadInput = { caller: Caller; body: CreateUploadBody }

/**
 * Announces an upload: its bytes are reserved, and the client gets an address to put them to (specification,
 * "POST /media/uploads").
 */
export async function createUpload(
  deps: Deps,
  { caller, body }: CreateUploadInput,
  keepAnswer: KeepAnswer<MediaUpload>,
): Promise<MediaUpload> {
  const { fileName, mimeType, fileSize, altText } = body
  requireFittingEnding(fileName, mimeType)
  const { organizationId, actor } = caller
  const { maxStoredBytes, uploadWindowSeconds, filesUrl } = deps.settings
  const now = deps.now()
  const id = newId('media', now)
  const stagingKey = `uploads/${id}`
  const expiresAt = new Date(now + uploadWindowSeconds * 1000).toISOString()
  const upload = await deps.storage.presignPut({
    key: stagingKey,
    contentType: mimeType,
    contentLength: fileSize,
    expiresSeconds: uploadWindowSeconds,
  })
  // A PUT that begins at the end of its window may take as long as a window.
  const goneAt = new Date(now + 2 * uploadWindowSeconds * 1000 + STAGING_GRACE_MS).toISOString()
  const answer = (after: Versioned<MediaState>): MediaUpload => ({
    media: viewOfState(after.state, { id, ...after }, { filesUrl, now }),
    upload: { method: 'PUT', url: upload.url, headers: upload.headers, expiresAt },
    next: nextStep(id, expiresAt),
  })
  const started = await handle(
    deps.store,
    mediaStream,
    id,
    {
      type: 'StartUpload',
      organizationId,
      createdAt: new Date(now).toISOString(),
      expiresAt,
      actor,
      fileName,
      altText: altText ?? null,
      mimeType,
      mediaType: FILE_TYPES[mimeType].type,
      sizeBytes: fileSize,
      stagingKey,
    },
    {
      organizationId,
      meta: metaOf(actor),
      isNew: true,
      riders: (_events, after) => [
        ...keepAnswer(answer(after)),
        reserveBytes(organizationId, fileSize, maxStoredBytes),
        doom(stagingKey, [stagingKey], goneAt),
      ],
    },
  ).catch(async (error: unknown) => {
    if (!(error instanceof RiderRefused) || isClaimLost(error)) throw error
    throw await storageFull(deps.store.pool, organizationId, maxStoredBytes)
  })
  crashPoint('media.upload-created')
  return answer(started)
}

function nextStep(id: string, expiresAt: string): string {
  return (
    `PUT the bytes of the file to upload.url with exactly the headers in upload.headers before ${expiresAt}, ` +
    `then POST to /v1/media/${id}/complete.`
  )
}
