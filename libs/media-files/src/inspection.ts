import { z } from 'zod'

/** Every type of file that Herald takes, and what kind of media it is. */
export const MEDIA_TYPES = {
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/webp': 'image',
  'image/gif': 'gif',
  'video/mp4': 'video',
  'video/quicktime': 'video',
  'video/webm': 'video',
  'application/pdf': 'document',
  'application/msword': 'document',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'document',
  'application/vnd.ms-powerpoint': 'document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'document',
} as const

/** A type of file that Herald takes. */
export type MediaType = keyof typeof MEDIA_TYPES

/** Tells whether Herald takes files of this type. */
export function isMediaType(mimeType: string): mimeType is MediaType {
  return Object.hasOwn(MEDIA_TYPES, mimeType)
}

const Length = z.int().positive().max(1_000_000)

/** What a worker found out about a file. A picture of it, if there is one, travels beside these facts as bytes. */
export const FileFacts = z.strictObject({
  type: z.enum(['image', 'gif', 'video', 'document']),
  mimeType: z.string().refine((mimeType): boolean => isMediaType(mimeType)),
  width: Length.nullable(),
  height: Length.nullable(),
  durationSeconds: z.number().nonnegative().nullable(),
  pages: z.int().nonnegative().nullable(),
  isAnimated: z.boolean(),
})
export type FileFacts = z.infer<typeof FileFacts>

/** A picture that a worker made; its bytes travel beside these facts. */
export const PictureFacts = z.strictObject({
  mimeType: z.enum(['image/jpeg', 'image/png', 'image/webp', 'image/gif']),
  width: Length,
  height: Length,
})
export type PictureFacts = z.infer<typeof PictureFacts>

/** What is said of a thumbnail. */
export const ThumbnailFacts = z.strictObject({
  mimeType: z.literal('image/webp'),
  width: Length.max(512),
  height: Length.max(512),
})
export type ThumbnailFacts = z.infer<typeof ThumbnailFacts>

/** A picture of at most 512 × 512 pixels without metadata, in a file of its own. */
export type Thumbnail = ThumbnailFacts & { path: string; sizeBytes: number }

/**
 * What a file really is, whatever was said of it. Width and height are in pixels and as a person sees them, so after
 * the orientation that a camera noted. `pages` is for documents, `durationSeconds` for videos; `isAnimated` tells
 * pictures with several frames from those with one.
 */
export type Inspection = FileFacts & { thumbnail: Thumbnail | null }
