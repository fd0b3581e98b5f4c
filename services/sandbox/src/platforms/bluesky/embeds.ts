import { z } from 'zod'

const BlobRef = z.object({
  ref: z.object({ $link: z.string() }),
  mimeType: z.string(),
  size: z.number(),
})
export type BlobRef = z.infer<typeof BlobRef>

const Media = z.discriminatedUnion('$type', [
  z.object({
    $type: z.literal('app.bsky.embed.images'),
    images: z.array(z.object({ image: BlobRef, alt: z.string() })),
  }),
  z.object({
    $type: z.literal('app.bsky.embed.video'),
    video: BlobRef,
    alt: z.string().optional(),
  }),
  z.object({
    $type: z.literal('app.bsky.embed.external'),
    external: z.object({ thumb: BlobRef.optional() }),
  }),
])
const Embed = z.union([Media, z.object({ media: Media }).transform(({ media }) => media)])

/** A file that a post refers to, and what its lexicon asks of it. */
export type Embedded = {
  blob: BlobRef
  alt: string | null
  accept: string
  maxBytes: number
  /** Whether it is the post's own media, not the picture of a link. */
  isMedia: boolean
}

const IMAGE = { accept: 'image/*', maxBytes: 1_000_000 }
const VIDEO = { accept: 'video/mp4', maxBytes: 300_000_000 }

/** The files of a post whose form was checked. */
export function embeddedIn(post: Record<string, unknown>): Embedded[] {
  const embed = Embed.safeParse(post['embed']).data
  switch (embed?.$type) {
    case 'app.bsky.embed.images':
      return embed.images.map(({ image, alt }) => ({ blob: image, alt, ...IMAGE, isMedia: true }))
    case 'app.bsky.embed.video':
      return [{ blob: embed.video, alt: embed.alt ?? null, ...VIDEO, isMedia: true }]
    case 'app.bsky.embed.external': {
      const { thumb } = embed.external
      return thumb ? [{ blob: thumb, alt: null, ...IMAGE, isMedia: false }] : []
    }
    case undefined:
      return []
  }
}

export function accepts(accept: string, mimeType: string): boolean {
  return accept.endsWith('/*') ? mimeType.startsWith(accept.slice(0, -1)) : mimeType === accept
}
