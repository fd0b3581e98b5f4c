import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { readForm } from '../../read-form.ts'
import { authenticate } from './authenticate.ts'
import { readJsonBody } from './create-post.ts'
import { mediaView } from './processing.ts'
import { forbid, refuseInvalid, refuseUnknown } from './refusals.ts'
import { findMedia, type Site } from './site.ts'
import { Category, type Media } from './state.ts'
import { wholeOf } from './whole.ts'

const EXPIRES_SECONDS = 86_400
const MB = 1024 * 1024
const MAX_BYTES = {
  tweet_image: 5 * MB,
  tweet_gif: 15 * MB,
  tweet_video: 512 * MB,
  amplify_video: 512 * MB,
}
const TYPES =
  'video/mp4 video/webm video/mp2t video/quicktime image/jpeg image/gif image/bmp image/png image/webp image/pjpeg image/tiff'.split(
    ' ',
  )

const Begin = z.object({
  media_type: z.string(),
  total_bytes: z.coerce.number().int().positive(),
  media_category: Category,
})
const Segment = z.coerce.string().regex(/^[0-9]{1,3}$/)
const Metadata = z.object({
  id: z.string(),
  metadata: z.object({ alt_text: z.object({ text: z.string() }).optional() }).optional(),
})

/** `POST /2/media/upload/initialize` */
export function initialize(site: Site, call: Call): Answer {
  const { id: accountId } = authenticate(site, call, ['media.write'])
  return jsonAnswer(200, { data: mediaView(site, begin(site, accountId, readJsonBody(call))) })
}

/** `POST /2/media/upload/:id/append`: a part of the file, in any order. */
export async function append(site: Site, call: Call): Promise<Answer> {
  const media = ownMedia(site, call)
  const form = await readForm(call)
  const bytes = bytesOf(form)
  if (!bytes || bytes.length === 0) return refuseInvalid('media', '', 'media is required')
  const index = Segment.safeParse(form?.fields['segment_index'])
  if (!index.success)
    return refuseInvalid(
      'segment_index',
      form?.fields['segment_index'],
      'segment_index must be 0 to 999',
    )
  if (media.whole) return refuseInvalid('id', media.id, 'The upload is finalized already.')
  const others = [...media.segments].filter(([at]) => at !== Number(index.data))
  const received = others.reduce((sum, [, { sizeBytes }]) => sum + sizeBytes, bytes.length)
  if (received > media.totalBytes)
    return refuseInvalid('media', '', 'Segments exceed the provided total file size.')
  const sha256 = site.files.put(bytes)
  const { id } = media
  site.record({
    type: 'segment-appended',
    id,
    index: Number(index.data),
    sha256,
    sizeBytes: bytes.length,
  })
  return jsonAnswer(200, { data: { expires_at: Math.floor(media.expiresAt / 1000) } })
}

/** `POST /2/media/upload/:id/finalize` */
export function finalize(site: Site, call: Call): Answer {
  const media = ownMedia(site, call)
  if (media.whole) return refuseInvalid('id', media.id, 'The upload is finalized already.')
  const parts = Array.from({ length: media.segments.size }, (_, index) => media.segments.get(index))
  const bytes = Buffer.concat(parts.flatMap((part) => (part && site.files.get(part.sha256)) ?? []))
  if (bytes.length !== media.totalBytes || parts.includes(undefined))
    return refuseInvalid('id', media.id, 'Segments do not add up to provided total file size.')
  return jsonAnswer(200, { data: complete(site, media, bytes) })
}

/** `POST /2/media/upload`: a whole picture in one call. */
export async function uploadAtOnce(site: Site, call: Call): Promise<Answer> {
  const { id: accountId } = authenticate(site, call, ['media.write'])
  const form = await readForm(call)
  const bytes = bytesOf(form)
  if (!form || !bytes) return refuseInvalid('media', '', 'media is required')
  const { media_category: category, media_type: type = 'image/png' } = form.fields
  if (category !== 'tweet_image')
    return refuseInvalid('media_category', category, 'media_category must be tweet_image')
  const given = { media_type: type, total_bytes: bytes.length, media_category: category }
  return jsonAnswer(200, { data: complete(site, begin(site, accountId, given), bytes) })
}

/** `GET /2/media/upload?command=STATUS` */
export function showUpload(site: Site, call: Call): Answer {
  const { id: accountId } = authenticate(site, call, ['media.write'])
  const id = call.query.get('media_id') ?? ''
  const media = findMedia(site, id, accountId) ?? refuseUnknown('media', id)
  return jsonAnswer(200, { data: mediaView(site, media) })
}

/** `POST /2/media/metadata` */
export function describe(site: Site, call: Call): Answer {
  const { id: accountId } = authenticate(site, call, ['media.write'])
  const body = Metadata.safeParse(readJsonBody(call))
  if (!body.success) return refuseInvalid('id', '', 'id is required')
  const { id, metadata } = body.data
  const media = findMedia(site, id, accountId) ?? refuseUnknown('media', id)
  const text = metadata?.alt_text?.text
  if (text === undefined) return jsonAnswer(200, { data: { id, associated_metadata: {} } })
  if (Array.from(text).length > 1000)
    return refuseInvalid(
      'metadata.alt_text.text',
      text,
      'alt_text.text has at most 1000 characters',
    )
  if (media.category !== 'tweet_image' && media.category !== 'tweet_gif')
    return forbid('Alt text is for images and GIFs.')
  site.record({ type: 'media-described', id, altText: text })
  return jsonAnswer(200, { data: { id, associated_metadata: { alt_text: { text } } } })
}

function begin(site: Site, accountId: string, given: unknown): Media {
  const body = Begin.safeParse(given)
  if (!body.success) {
    const field = body.error.issues[0]?.path.join('.') ?? ''
    return refuseInvalid(field, '', `${field} is not valid`)
  }
  const { media_type: mimeType, total_bytes: totalBytes, media_category: category } = body.data
  const kind = category === 'tweet_image' || category === 'tweet_gif' ? 'image/' : 'video/'
  if (!TYPES.includes(mimeType) || !mimeType.startsWith(kind))
    return refuseInvalid('media_type', mimeType, `media_type is not one of ${category}`)
  if (totalBytes > MAX_BYTES[category])
    return refuseInvalid(
      'total_bytes',
      totalBytes,
      `File size exceeds ${MAX_BYTES[category]} bytes.`,
    )
  const id = site.newId()
  const expiresAt = site.now() + EXPIRES_SECONDS * 1000
  site.record({
    type: 'upload-begun',
    upload: { id, accountId, mimeType, category, totalBytes, expiresAt },
  })
  return site.state.media.get(id) ?? refuseUnknown('media', id)
}

function complete(site: Site, media: Media, bytes: Buffer) {
  const whole = wholeOf(site, media, bytes)
  site.record({ type: 'upload-finalized', id: media.id, whole })
  const view = mediaView(site, { ...media, whole })
  return whole.readyAt === null
    ? view
    : { ...view, processing_info: { state: 'pending', check_after_secs: 1 } }
}

function ownMedia(site: Site, call: Call): Media {
  const { id: accountId } = authenticate(site, call, ['media.write'])
  const id = call.params['id'] ?? ''
  return findMedia(site, id, accountId) ?? refuseUnknown('media', id)
}

/** The file of a form, or its Base64 in JSON. */
function bytesOf(form: Awaited<ReturnType<typeof readForm>>): Buffer | undefined {
  const text = form?.fields['media']
  return (
    form?.files['media']?.bytes ??
    (typeof text === 'string' ? Buffer.from(text, 'base64') : undefined)
  )
}
