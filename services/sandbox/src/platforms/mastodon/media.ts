import { createHash } from 'node:crypto'
import { randomInt } from 'node:crypto'
import type { StoredMedia } from '../../ledger.ts'
import type { Answer } from '../../respond.ts'
import type { World } from '../../world.ts'
import { imageSize } from '../../image-size.ts'
import { LIMITS } from './instance.ts'

export type Upload = { bytes: Buffer; mimeType: string; description: string | null }

const PROCESSING_MS = 300

/** `POST /api/v2/media`: images are ready at once, videos are processed for a moment. */
export function storeMedia(world: World, account: string, upload: Upload): Answer {
  const { bytes, mimeType, description } = upload
  const isVideo = mimeType.startsWith('video/')
  if (!LIMITS.mimeTypes.includes(mimeType))
    return refuse('Validation failed: File content type is invalid, File is invalid')
  if (bytes.length > (isVideo ? LIMITS.videoBytes : LIMITS.imageBytes))
    return { status: 413, body: { error: 'Request Entity Too Large' } }
  if ((description ?? '').length > LIMITS.descriptionCharacters)
    return refuse('Validation failed: Description is too long (maximum is 1500 characters)')
  const size = imageSize(bytes)
  if (!isVideo && !size) return refuse('Validation failed: File is invalid')
  const media: StoredMedia = {
    id: `11${world.now()}${randomInt(1e4).toString().padStart(4, '0')}`,
    account,
    ...{ mimeType, sizeBytes: bytes.length, altText: description },
    sha256: createHash('sha256').update(bytes).digest('hex'),
    width: size?.width ?? null,
    height: size?.height ?? null,
  }
  world.ledger.write({ kind: 'media', media })
  return { status: isVideo ? 202 : 200, body: showMedia(world, media) }
}

/** `GET /api/v1/media/:id`: 206 while it is processed. */
export function readMedia(world: World, account: string, id: string): Answer {
  const media = world.ledger.media.get(id)
  if (media?.account !== account) return { status: 404, body: { error: 'Record not found' } }
  return { status: isProcessed(world, media) ? 200 : 206, body: showMedia(world, media) }
}

/** Whether a file can be attached. */
export function isProcessed(world: World, { id, mimeType }: StoredMedia): boolean {
  const uploadedAt = Number(id.slice(2, -4))
  return !mimeType.startsWith('video/') || world.now() - uploadedAt >= PROCESSING_MS
}

/** A file as Mastodon shows it; it has no address while it is processed. */
export function showMedia(world: World, media: StoredMedia) {
  const { id, mimeType, width, height, altText } = media
  return {
    id,
    type: mimeType.split('/')[0],
    url: isProcessed(world, media) ? `${world.url()}/mastodon/media/${id}` : null,
    meta: width === null ? {} : { original: { width, height } },
    description: altText,
  }
}

function refuse(error: string): Answer {
  return { status: 422, body: { error } }
}
