import { z } from 'zod'
import { IdempotencyKey, replayable } from './idempotency.ts'
import { MediaId, OrganizationId, PostId } from './ids.ts'
import { IfMatch } from './if-match.ts'
import { ListLimit, PageLimit, pageOf, WrittenCursor } from './paging.ts'
import { Caller } from './posts.ts'
import { PROJECTION_OPERATIONS } from './projections.ts'
import { contract } from './rpc.ts'
import { Instant } from './time.ts'
import { Text } from './text.ts'

const MEBIBYTE = 1024 * 1024

/** What a file is to those who look at it (specification, "Media item"). No audio can be sent yet. */
export const MediaType = z.enum(['image', 'gif', 'video', 'document', 'audio'])
export type MediaType = z.infer<typeof MediaType>

/** Where a file stands (specification, "Media status"). */
export const MediaStatus = z.enum(['pending', 'ready', 'failed'])
export type MediaStatus = z.infer<typeof MediaStatus>

/** Most bytes of a file of each kind (specification, "Limits"). A megabyte is 1,048,576 bytes. */
export const MAX_FILE_BYTES = {
  image: 50 * MEBIBYTE,
  gif: 50 * MEBIBYTE,
  video: 200 * MEBIBYTE,
  document: 100 * MEBIBYTE,
} as const

/** Most bytes an organization may keep, 5 GB (specification, "Limits"). */
export const MAX_STORED_BYTES = 5 * 1024 * MEBIBYTE

/** The types of file that are accepted, the kind each belongs to, and the endings its names may have, the usual one first. */
export const FILE_TYPES = {
  'image/jpeg': { type: 'image', endings: ['jpg', 'jpeg', 'jpe', 'jfif'] },
  'image/png': { type: 'image', endings: ['png', 'apng'] },
  'image/webp': { type: 'image', endings: ['webp'] },
  'image/gif': { type: 'gif', endings: ['gif'] },
  'video/mp4': { type: 'video', endings: ['mp4', 'm4v'] },
  'video/quicktime': { type: 'video', endings: ['mov', 'qt'] },
  'video/webm': { type: 'video', endings: ['webm'] },
  'application/pdf': { type: 'document', endings: ['pdf'] },
  'application/msword': { type: 'document', endings: ['doc'] },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    type: 'document',
    endings: ['docx'],
  },
  'application/vnd.ms-powerpoint': { type: 'document', endings: ['ppt', 'pps'] },
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': {
    type: 'document',
    endings: ['pptx'],
  },
} as const
export type FileMimeType = keyof typeof FILE_TYPES

/** One of the accepted types of file, exactly as written here. */
export const FileMimeType = z.enum(Object.keys(FILE_TYPES) as [FileMimeType])

/** A file of the media library (specification, "Media item"). */
export const Media = z
  .strictObject({
    id: MediaId,
    type: MediaType,
    status: MediaStatus,
    fileName: z.string(),
    mimeType: z.string(),
    sizeBytes: z.int().nonnegative(),
    url: z.string().nullable().meta({
      description:
        'A stable address that gives the file without credentials or redirects. Null until the file is ready.',
    }),
    thumbnailUrl: z
      .string()
      .nullable()
      .meta({ description: 'A small picture of it, null when there is none.' }),
    width: z.int().nullable().meta({ description: 'In pixels, as shown.' }),
    height: z.int().nullable().meta({ description: 'In pixels, as shown.' }),
    durationSeconds: z.int().nullable(),
    altText: z.string().nullable(),
    description: z.string().nullable().meta({
      description:
        'What the file shows, written by a machine in the background; null until it has run.',
    }),
    createdAt: Instant,
  })
  .meta({ id: 'Media' })
export type Media = z.infer<typeof Media>

/** Where to send the bytes of an upload (specification, "Upload instruction"). */
export const UploadInstruction = z
  .strictObject({
    method: z.literal('PUT'),
    url: z.string(),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Must be sent exactly as given.' }),
    expiresAt: Instant,
  })
  .meta({ id: 'UploadInstruction' })
export type UploadInstruction = z.infer<typeof UploadInstruction>

/** The answer of `POST /media/uploads`. */
export const MediaUpload = z
  .strictObject({
    media: Media,
    upload: UploadInstruction,
    next: z.string().meta({ description: 'What to do next, for a person.' }),
  })
  .meta({ id: 'MediaUpload' })
export type MediaUpload = z.infer<typeof MediaUpload>

/** The answer of `DELETE /media/{id}`. */
export const DeletedMedia = z.strictObject({ id: MediaId, deleted: z.literal(true) })

const HIDDEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** A name for people. It is never used as a path, yet what would mislead in one is refused. */
export const FileName = Text.max(255)
  .refine((name) => name.trim() !== '', 'is empty')
  .refine((name) => !/[/\\]/.test(name), 'contains a slash')
  .refine((name) => !HIDDEN.test(name), 'contains characters that cannot be seen')
  .refine((name) => !/^\.+$/.test(name), 'is not a name')
  .meta({ description: 'A name for people, at most 255 characters.' })

/** Longest alternative text, in UTF-16 units. */
export const MAX_ALT_TEXT = 2_000

const AltText = Text.max(MAX_ALT_TEXT).meta({
  description: 'What the file shows, for those who cannot see it.',
})

/** The body of `POST /media/import`. */
export const ImportMediaBody = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(2_000)
      .meta({ description: 'Public http or https address of the file.' }),
    fileName: FileName.optional(),
    altText: AltText.optional(),
  })
  .meta({ id: 'ImportMedia' })
export type ImportMediaBody = z.infer<typeof ImportMediaBody>

/** The body of `POST /media/uploads`. */
export const CreateUploadBody = z
  .strictObject({
    fileName: FileName,
    mimeType: FileMimeType,
    fileSize: z.int().min(1).meta({ description: 'The exact size in bytes.' }),
    altText: AltText.optional(),
  })
  .superRefine(({ mimeType, fileSize }, context) => {
    const limit = MAX_FILE_BYTES[FILE_TYPES[mimeType]?.type ?? 'document']
    if (fileSize > limit)
      context.addIssue({
        code: 'custom',
        path: ['fileSize'],
        message: `is more than the ${limit} bytes that a file of this type may have`,
      })
  })
  .meta({ id: 'CreateUpload' })
export type CreateUploadBody = z.infer<typeof CreateUploadBody>

/** What `GET /media` can be asked for; `media` is what every platform's posts can carry. */
export const MediaFilter = z.enum(['image', 'video', 'document', 'media'])
export type MediaFilter = z.infer<typeof MediaFilter>

/** The query of `GET /media`. */
export const ListMediaQuery = z.strictObject({
  type: MediaFilter.optional().meta({ description: 'Only files of this kind.' }),
  q: Text.refine((text) => Array.from(text).length <= 200, 'is longer than 200 characters')
    .optional()
    .meta({
      description:
        'Words that must all occur in the file name, alt text or description, in any case.',
    }),
  limit: ListLimit,
  cursor: WrittenCursor,
})

export const MediaPage = pageOf(Media)

/** A ready file as posts and platforms need it. */
export const AttachedMedia = z.object({
  id: MediaId,
  type: MediaType,
  mimeType: z.string(),
  sizeBytes: z.int(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  durationSeconds: z.int().nullable(),
  altText: z.string().nullable(),
  url: z.string(),
})
export type AttachedMedia = z.infer<typeof AttachedMedia>

/** A file with what is needed to fetch its bytes and to know that they are the right ones. */
export const StoredMedia = AttachedMedia.extend({
  /** Where it stands under the file server's address, such as `/files/….jpg`. */
  path: z.string(),
  sha256: z.string(),
  fileName: z.string(),
})
export type StoredMedia = z.infer<typeof StoredMedia>

/** What a platform takes of a picture: one of these types, at most these bytes and pixels. */
export const PictureLimits = z.object({
  mimeTypes: z.array(z.string().max(100)).min(1).max(20),
  maxBytes: z.int().positive(),
  maxWidth: z.int().positive().optional(),
  maxHeight: z.int().positive().optional(),
  /** Of width times height. */
  maxPixels: z.int().positive().optional(),
})
export type PictureLimits = z.infer<typeof PictureLimits>

/** A picture at an address that gives it without credentials or redirects. Width and height are in pixels. */
export const HostedPicture = z.object({
  url: z.string(),
  mimeType: z.string(),
  width: z.int(),
  height: z.int(),
})
export type HostedPicture = z.infer<typeof HostedPicture>

const OneMedia = z.object({ caller: Caller, mediaId: z.string().max(100) })
const Repeatable = { idempotencyKey: IdempotencyKey.optional() }
const MediaIds = z.object({
  organizationId: OrganizationId,
  mediaIds: z.array(z.string().max(100)).max(100),
})

/** RPC of the media service: the library, and the files that posts hold. */
export const media = contract({
  service: 'media',
  operations: {
    /** Downloads a file. 422 when it is unreachable, private, too large or unsupported; 409 when storage is full. */
    import: {
      input: z.object({ caller: Caller, body: ImportMediaBody, ...Repeatable }),
      output: replayable(Media),
      timeoutMs: 120_000,
    },
    createUpload: {
      input: z.object({ caller: Caller, body: CreateUploadBody, ...Repeatable }),
      output: replayable(MediaUpload),
    },
    complete: { input: OneMedia.extend(Repeatable), output: replayable(Media), timeoutMs: 90_000 },
    get: { input: OneMedia, output: Media, safe: true },
    list: {
      input: z.object({
        caller: Caller,
        type: MediaFilter.optional(),
        q: z.string().optional(),
        limit: PageLimit,
        cursor: z.string().max(1000).optional(),
      }),
      output: MediaPage,
      safe: true,
    },
    remove: {
      input: OneMedia.extend({ ifMatch: IfMatch.optional() }),
      output: DeletedMedia,
      timeoutMs: 10_000,
    },
    /**
     * Holds files for a post that is about to be created. 422 for a file that is unknown or not ready. The hold ends
     * by itself unless the post is committed within `goodForMs`; after that the post must not be committed any more.
     * A post that has ended holds them again with `sequence`, the version it has reached: news up to there are old.
     */
    attach: {
      input: MediaIds.extend({ postId: PostId, sequence: z.int().optional() }),
      output: z.object({ data: z.array(AttachedMedia), goodForMs: z.int() }),
    },
    /** Ends the hold of a post that was not created. */
    release: {
      input: z.object({ organizationId: OrganizationId, postId: PostId }),
      output: z.object({ released: z.int() }),
    },
    /** Files that a post could be created with, without holding them. 422 as for `attach`. */
    getForPosting: {
      input: MediaIds,
      output: z.object({ data: z.array(AttachedMedia) }),
      safe: true,
    },
    /** The files of a post that is being published, in the order asked; 404 when one is gone. */
    getForPublishing: {
      input: z.object({ organizationId: OrganizationId, mediaIds: z.array(MediaId).max(100) }),
      output: z.object({ data: z.array(StoredMedia) }),
      safe: true,
    },
    /**
     * Where a platform can fetch a picture within these limits: the file's own address when it fits, else that of a
     * rendition, which is made once and goes when the file goes. 404 when the file is gone, 422 when it cannot be made
     * to fit. Asked again it answers the same.
     */
    rendition: {
      input: z.object({
        organizationId: OrganizationId,
        mediaId: MediaId,
        limits: PictureLimits,
      }),
      output: HostedPicture,
      timeoutMs: 90_000,
    },
    /** Bytes kept and reserved by an organization, and the most it may have. */
    usage: {
      input: z.object({ organizationId: OrganizationId }),
      output: z.object({ bytes: z.int(), limitBytes: z.int() }),
      safe: true,
    },
    ...PROJECTION_OPERATIONS,
  },
})

/** Public events of a file and their actions in the subject `herald.events.v1.media.<organizationId>.<action>`. */
export const MEDIA_EVENT_ACTIONS = {
  MediaReady: 'ready',
  MediaFailed: 'failed',
  MediaDescribed: 'described',
  MediaDeleted: 'deleted',
} as const
export type MediaEventType = keyof typeof MEDIA_EVENT_ACTIONS

/** The data of each public media event. File names and texts stay inside. */
export const MEDIA_EVENT_DATA = {
  MediaReady: z.object({
    mediaId: MediaId,
    type: MediaType.meta({ description: 'What it is to those who look at it.' }),
    mimeType: z.string().meta({ description: 'The type of its content, such as `image/png`.' }),
    sizeBytes: z.int().meta({ description: 'Its size in bytes.' }),
    width: z.int().nullable().meta({ description: 'Pixels as shown; null for what has none.' }),
    height: z.int().nullable().meta({ description: 'Pixels as shown; null for what has none.' }),
    durationSeconds: z
      .int()
      .nullable()
      .meta({ description: 'How long it plays, in seconds; null for what does not.' }),
  }),
  MediaFailed: z.object({ mediaId: MediaId }),
  MediaDescribed: z.object({ mediaId: MediaId }),
  MediaDeleted: z.object({ mediaId: MediaId }),
} satisfies Record<MediaEventType, z.ZodType>
