import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { imageSize } from '../../image-size.ts'
import { readForm, type UploadedFile } from '../../read-form.ts'
import { sniffMimeType } from '../../sniff.ts'
import { videoSize } from '../../video-size.ts'
import { authenticateAccount } from './authenticate.ts'
import type { Instance } from './instance.ts'
import { LIMITS, MIME_TYPES } from './limits.ts'
import { refuse, refuseInvalid, refuseUnknown } from './refusals.ts'
import type { Media } from './state.ts'
import { isProcessed, isReady, isRemoved, mediaView } from './views.ts'

/** How long moving pictures and sound are processed. */
const PROCESSING_MS = 1500

const Fields = z.object({ description: z.string().optional().catch(undefined) })

/** `POST /api/v2/media`: 200 when it is ready, 202 while it is processed. */
export async function uploadMedia(instance: Instance, call: Call): Promise<Answer> {
  const { account } = authenticateAccount(instance, call, ['write:media'])
  const form = await readForm(call)
  const file = form?.files['file']
  if (!form || !file) refuseInvalid("File can't be blank")
  const media: Media = {
    id: instance.newId(),
    accountId: account.id,
    ...describe(instance, file),
    description: readDescription(form.fields),
  }
  instance.record({ type: 'media-uploaded', media })
  return jsonAnswer(isReady(instance, media) ? 200 : 202, mediaView(instance, media))
}

/** `GET /api/v1/media/:id`: 206 while it is processed, 422 when it cannot be; gone once a status has it. */
export function showMedia(instance: Instance, call: Call): Answer {
  const media = ownMedia(instance, call)
  if (media.isBroken && isProcessed(instance, media))
    refuse(422, 'Error processing thumbnail for uploaded media')
  return jsonAnswer(isReady(instance, media) ? 200 : 206, mediaView(instance, media))
}

/** `PUT /api/v1/media/:id` */
export async function changeMedia(instance: Instance, call: Call): Promise<Answer> {
  const media = ownMedia(instance, call)
  const form = await readForm(call)
  if (!form) refuse(400, 'Bad Request')
  if ('description' in form.fields) {
    const description = readDescription(form.fields)
    instance.record({ type: 'media-described', id: media.id, description })
  }
  return showMedia(instance, call)
}

function ownMedia(instance: Instance, call: Call): Media {
  const { account } = authenticateAccount(instance, call, ['write:media'])
  const media = instance.state.media.get(call.params['id'] ?? '')
  const isOwn = media?.accountId === account.id
  if (!isOwn || media.statusId !== undefined || isRemoved(instance, media)) refuseUnknown()
  return media
}

function readDescription(fields: Record<string, unknown>): string | null {
  const { description = '' } = Fields.parse(fields)
  if (Array.from(description).length > LIMITS.descriptionCharacters)
    refuseInvalid(`Description is too long (maximum is ${LIMITS.descriptionCharacters} characters)`)
  return description.trim() || null
}

/** The type is what the bytes say. A GIF is measured as an image, and becomes a silent video. */
function describe(instance: Instance, { bytes }: UploadedFile) {
  const mimeType = sniffMimeType(bytes)
  if (mimeType === undefined || !MIME_TYPES.includes(mimeType))
    refuseInvalid('File content type is invalid', 'File is invalid')
  const isImage = mimeType.startsWith('image/')
  const limit = isImage ? LIMITS.imageBytes : LIMITS.videoBytes
  if (bytes.length >= limit) {
    const problem = `must be less than ${limit / 1024 / 1024} MB`
    refuseInvalid(`File file size ${problem}`, `File ${problem}`)
  }
  const size = imageSize(bytes, mimeType) ?? videoSize(bytes, mimeType)
  const { width = null, height = null } = size ?? {}
  if ((width ?? 0) * (height ?? 0) > pixelsOf(mimeType))
    refuse(422, `${width}x${height} ${isImage ? 'images' : 'videos'} are not supported`)
  const type = typeOf(mimeType)
  return {
    type,
    mimeType,
    sizeBytes: bytes.length,
    sha256: instance.files.put(bytes),
    width,
    height,
    readyAt: instance.now() + (type === 'image' ? 0 : PROCESSING_MS),
    isBroken: size === null && SIZED_VIDEOS.includes(mimeType),
  }
}

/** Of these it is known when they hold no video. */
const SIZED_VIDEOS = ['video/mp4', 'video/quicktime']

function pixelsOf(mimeType: string): number {
  if (mimeType === 'image/gif') return LIMITS.gifPixels
  return mimeType.startsWith('image/') ? LIMITS.imagePixels : LIMITS.videoPixels
}

function typeOf(mimeType: string): Media['type'] {
  if (mimeType === 'image/gif') return 'gifv'
  if (mimeType.startsWith('image/')) return 'image'
  return mimeType.startsWith('video/') ? 'video' : 'audio'
}
