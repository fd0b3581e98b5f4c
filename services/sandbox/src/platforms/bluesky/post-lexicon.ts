import { z } from 'zod'
import { graphemes } from '../../count.ts'
import type { StoredMedia } from '../../ledger.ts'

const MAX_GRAPHEMES = 300
const MAX_BYTES = 3000
const MAX_IMAGES = 4
const MAX_IMAGE_BYTES = 1_000_000

const Blob = z.object({
  $type: z.literal('blob'),
  ref: z.object({ $link: z.string() }),
  mimeType: z.string(),
  size: z.int(),
})
const AspectRatio = z.object({ width: z.int().positive(), height: z.int().positive() })
const Images = z.object({
  $type: z.literal('app.bsky.embed.images'),
  images: z.array(z.object({ image: Blob, alt: z.string(), aspectRatio: AspectRatio.optional() })),
})
const Facet = z.object({
  index: z.object({ byteStart: z.int().nonnegative(), byteEnd: z.int().nonnegative() }),
  features: z.array(
    z.discriminatedUnion('$type', [
      z.object({ $type: z.literal('app.bsky.richtext.facet#link'), uri: z.url() }),
      z.object({ $type: z.literal('app.bsky.richtext.facet#tag'), tag: z.string().max(640) }),
      z.object({
        $type: z.literal('app.bsky.richtext.facet#mention'),
        did: z.string().startsWith('did:'),
      }),
    ]),
  ),
})

/** `app.bsky.feed.post`, as far as Herald writes it; what else a record carries is kept. */
const PostRecord = z
  .object({
    $type: z.literal('app.bsky.feed.post'),
    text: z.string(),
    createdAt: z.iso.datetime({ offset: true }),
    langs: z.array(z.string()).max(3).optional(),
    facets: z.array(Facet).optional(),
    embed: Images.optional(),
  })
  .loose()

export type CheckedPost = { record: z.infer<typeof PostRecord>; media: StoredMedia[] }
export type LexiconError = { error: string; message: string }

/** Checks a record as the server does: its shape, the limits, and that its blobs are there. */
export function checkPost(
  value: unknown,
  account: string,
  findBlob: (cid: string) => StoredMedia | undefined,
): CheckedPost | LexiconError {
  const parsed = PostRecord.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return invalid(`${issue?.message} at $.record.${issue?.path.map(String).join('.')}`)
  }
  const record = parsed.data
  const length = graphemes(record.text)
  const bytes = Buffer.byteLength(record.text)
  if (bytes > MAX_BYTES)
    return invalid(`string too big (maximum ${MAX_BYTES}, got ${bytes}) at $.record.text`)
  if (length > MAX_GRAPHEMES)
    return invalid(`grapheme too big (maximum ${MAX_GRAPHEMES}, got ${length}) at $.record.text`)
  const badFacet = (record.facets ?? []).find(
    ({ index }) => index.byteStart > index.byteEnd || index.byteEnd > bytes,
  )
  if (badFacet) return invalid('facet is out of the text at $.record.facets')
  return withMedia(record, account, findBlob)
}

function withMedia(
  record: z.infer<typeof PostRecord>,
  account: string,
  findBlob: (cid: string) => StoredMedia | undefined,
): CheckedPost | LexiconError {
  const images = record.embed?.images ?? []
  if (images.length > MAX_IMAGES)
    return invalid(
      `array too big (maximum ${MAX_IMAGES}, got ${images.length}) at $.record.embed.images`,
    )
  const media: StoredMedia[] = []
  for (const { image, alt } of images) {
    const blob = findBlob(image.ref.$link)
    if (blob?.account !== account)
      return { error: 'BlobNotFound', message: `Could not find blob: ${image.ref.$link}` }
    if (blob.sizeBytes > MAX_IMAGE_BYTES)
      return {
        error: 'BlobTooLarge',
        message: `This file is too large. It is ${blob.sizeBytes} but the maximum size is ${MAX_IMAGE_BYTES}.`,
      }
    if (!blob.mimeType.startsWith('image/'))
      return {
        error: 'InvalidMimeType',
        message: `Wrong mimetype. It is ${blob.mimeType} but it must match image/*.`,
      }
    media.push({ ...blob, altText: alt })
  }
  return { record, media }
}

function invalid(message: string): LexiconError {
  return { error: 'InvalidRequest', message: `Invalid app.bsky.feed.post record: ${message}` }
}
