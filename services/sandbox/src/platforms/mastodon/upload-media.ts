import type { Request } from 'express'
import { z } from 'zod'
import { factsOf, type FileFacts } from '../../file-facts.ts'
import type { Answer } from '../../platform.ts'
import { failure } from './manners.ts'
import { MEDIA_LIMITS } from './media-limits.ts'
import type { Mastodon, Media } from './tables.ts'
import { mediaType, mediaView } from './views.ts'

const PROCESSING_MS = 1000

const Upload = z.object({
  file: z.object({ bytes: z.instanceof(Buffer), tooLarge: z.boolean() }),
  description: z.string().optional(),
})
const Change = z.object({ description: z.string().nullish() })

/** POST /api/v2/media. An image is ready at once (200), everything else is processed for a second (202). */
export function uploadMedia(mastodon: Mastodon, account: string, request: Request): Answer {
  const upload = Upload.safeParse(request.body)
  if (!upload.success) return failure(422, "Validation failed: File can't be blank")
  const { file, description = null } = upload.data
  const facts = factsOf(file.bytes)
  const { mimeType = 'application/octet-stream', ...rest } = facts
  const problem = problemOf(facts, file.tooLarge) ?? problemOfDescription(description)
  if (problem !== undefined) return failure(422, `Validation failed: ${problem}`)
  const processing = mediaType(mimeType) === 'image' ? 0 : PROCESSING_MS
  const media: Media = {
    id: mastodon.newId(),
    account,
    mimeType,
    ...rest,
    description,
    readyAtMs: mastodon.core.clock.now() + processing,
    attached: false,
  }
  mastodon.media.put(media.id, media)
  return { status: processing === 0 ? 200 : 202, body: mediaView(mastodon, media)[0] }
}

/** GET /api/v1/media/:id: 206 while it is processed; what a status has is no longer there. */
export function getMedia(mastodon: Mastodon, account: string, { params }: Request): Answer {
  const media = findUnattached(mastodon, account, String(params.id))
  if (!media) return failure(404, 'Record not found')
  const ready = mastodon.core.clock.now() >= media.readyAtMs
  return { status: ready ? 200 : 206, body: mediaView(mastodon, media)[0] }
}

/** PUT /api/v1/media/:id: the description can be changed until a status has the file. */
export function changeMedia(
  mastodon: Mastodon,
  account: string,
  { params, body }: Request,
): Answer {
  const media = findUnattached(mastodon, account, String(params.id))
  if (!media) return failure(404, 'Record not found')
  const { description = media.description } = Change.safeParse(body).data ?? {}
  const problem = problemOfDescription(description)
  if (problem !== undefined) return failure(422, `Validation failed: ${problem}`)
  const changed = { ...media, description }
  mastodon.media.put(media.id, changed)
  return { status: 200, body: mediaView(mastodon, changed)[0] }
}

function findUnattached({ media }: Mastodon, account: string, id: string): Media | undefined {
  const found = media.get(id)
  return found?.account === account && !found.attached ? found : undefined
}

function problemOf({ mimeType, sizeBytes, width, height }: FileFacts, tooLarge: boolean) {
  if (mimeType === undefined || !MEDIA_LIMITS.mimeTypes.includes(mimeType))
    return 'File content type is invalid'
  const isImage = mimeType.startsWith('image/')
  if (isImage && sizeBytes > MEDIA_LIMITS.imageBytes)
    return 'File file size must be less than 16 MB'
  if (tooLarge || sizeBytes > MEDIA_LIMITS.videoBytes)
    return 'File file size must be less than 99 MB'
  if (width && height && width * height > MEDIA_LIMITS.imagePixels)
    return `${width}x${height} images are not supported`
  return undefined
}

function problemOfDescription(description: string | null): string | undefined {
  const length = Array.from(description ?? '').length
  return length > MEDIA_LIMITS.description
    ? `Description is too long (maximum is ${MEDIA_LIMITS.description} characters)`
    : undefined
}
