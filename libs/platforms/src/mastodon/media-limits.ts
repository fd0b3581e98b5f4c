import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { request } from '../http.ts'
import { FileUnfit, type ImageLimits, type MediaFacts, type PublishInput } from '../platform.ts'
import { readJson } from '../read-json.ts'

const TIMEOUT_MS = 8_000
/** What a picture may be sent as, if the instance takes it; every instance takes JPEG. */
const PICTURES = ['image/jpeg', 'image/png', 'image/webp']

const limit = (bytesOrPixels: number) =>
  z.int().positive().default(bytesOrPixels).catch(bytesOrPixels)
const Instance = z.object({
  configuration: z.object({
    media_attachments: z.object({
      supported_mime_types: z.array(z.string()).optional().catch(undefined),
      image_size_limit: limit(16_777_216),
      image_matrix_limit: limit(33_177_600),
      video_size_limit: limit(103_809_024),
      video_matrix_limit: limit(8_294_400),
    }),
  }),
})

/** What an instance takes: files smaller than so many bytes, with at most so many pixels. */
export type MediaLimits = z.infer<typeof Instance>['configuration']['media_attachments']

/** The limits of the instance. Those that it does not tell are Mastodon's own. */
export async function readMediaLimits({ baseUrl, signal }: PublishInput): Promise<MediaLimits> {
  const url = addressOf(baseUrl, '/api/v2/instance')
  const result = await request({ method: 'GET', url, timeoutMs: TIMEOUT_MS, signal })
  const told = result.kind === 'response' ? readJson(Instance, result.text) : undefined
  const { configuration } = told ?? Instance.parse({ configuration: { media_attachments: {} } })
  return configuration.media_attachments
}

/** What a picture is made to fit into. */
export function imageLimitsOf(limits: MediaLimits): ImageLimits {
  const { supported_mime_types: supported = PICTURES } = limits
  return {
    mimeTypes: PICTURES.filter((type) => type === 'image/jpeg' || supported.includes(type)),
    maxBytes: limits.image_size_limit - 1,
    maxPixels: limits.image_matrix_limit,
  }
}

/** Throws `FileUnfit` for a video or an animated GIF, which are sent as they are, that this instance would refuse. */
export function requireFit(file: MediaFacts, limits: MediaLimits): void {
  const { supported_mime_types: supported } = limits
  if (supported && !supported.includes(file.mimeType))
    throw new FileUnfit(`The Mastodon instance takes no files of the type ${file.mimeType}.`)
  const [maxBytes, maxPixels] =
    file.type === 'video'
      ? [limits.video_size_limit, limits.video_matrix_limit]
      : [limits.image_size_limit, limits.image_matrix_limit]
  if (file.sizeBytes >= maxBytes)
    throw new FileUnfit(
      `A file has ${file.sizeBytes} bytes; the Mastodon instance takes less than ${maxBytes}.`,
    )
  const pixels = (file.width ?? 0) * (file.height ?? 0)
  if (pixels > maxPixels)
    throw new FileUnfit(
      `A file has ${pixels} pixels; the Mastodon instance takes at most ${maxPixels}.`,
    )
}
