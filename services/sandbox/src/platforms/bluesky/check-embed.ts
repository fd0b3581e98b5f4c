import { z } from 'zod'
import type { Answer } from '../../platform.ts'
import { invalidRecord, tooBig } from './invalid-record.ts'
import { failure } from './manners.ts'
import type { Bluesky } from './tables.ts'

const MAX_IMAGES = 4
const MAX_IMAGE_BYTES = 1_000_000

const BlobRef = z.looseObject({
  $type: z.literal('blob'),
  ref: z.object({ $link: z.string() }),
  mimeType: z.string(),
  size: z.number(),
})
type BlobRef = z.infer<typeof BlobRef>
const Images = z.looseObject({
  $type: z.literal('app.bsky.embed.images'),
  images: z.array(
    z.looseObject({
      image: BlobRef,
      alt: z.string(),
      aspectRatio: z.object({ width: z.int().min(1), height: z.int().min(1) }).optional(),
    }),
  ),
})
const Video = z.looseObject({ $type: z.literal('app.bsky.embed.video'), video: BlobRef })

/** Why what is embedded is refused. Embeds that have no blobs are taken as they are. */
export function checkEmbed(
  bluesky: Bluesky,
  did: string,
  embed: { $type: string },
): Answer | undefined {
  if (embed.$type === 'app.bsky.embed.images') {
    const parsed = Images.safeParse(embed)
    if (!parsed.success) return invalidRecord(`Invalid images at $.record.embed`)
    const { images } = parsed.data
    if (images.length > MAX_IMAGES)
      return tooBig('array', MAX_IMAGES, images.length, '$.record.embed.images')
    return images
      .map(({ image }) => checkBlob(bluesky, did, image, 'image/'))
      .find((refused) => refused !== undefined)
  }
  if (embed.$type !== 'app.bsky.embed.video') return undefined
  const parsed = Video.safeParse(embed)
  if (!parsed.success) return invalidRecord('Invalid video at $.record.embed')
  return checkBlob(bluesky, did, parsed.data.video, 'video/mp4')
}

function checkBlob(
  { blobs }: Bluesky,
  did: string,
  { ref }: BlobRef,
  type: string,
): Answer | undefined {
  const blob = blobs.get(`${did}/${ref.$link}`)
  if (!blob) return failure(400, 'BlobNotFound', `Could not find blob: ${ref.$link}`)
  if (!blob.mimeType.startsWith(type))
    return failure(
      400,
      'InvalidMimeType',
      `Wrong mimetype of blob. It is ${blob.mimeType} but it must match ${type}.`,
    )
  if (type === 'image/' && blob.sizeBytes > MAX_IMAGE_BYTES)
    return failure(
      400,
      'BlobTooLarge',
      `This file is too large. It is ${blob.sizeBytes} bytes but the maximum size is ${MAX_IMAGE_BYTES} bytes.`,
    )
  return undefined
}
