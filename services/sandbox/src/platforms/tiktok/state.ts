import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

export const PostInfo = z.object({
  title: z.string(),
  description: z.string(),
  privacyLevel: z.string(),
})
export type PostInfo = z.infer<typeof PostInfo>

export const StoredFile = z.object({
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
})
export type StoredFile = z.infer<typeof StoredFile>

/** Where the bytes of a video are to come, in chunks of this size. */
export const Upload = z.object({
  id: z.string(),
  token: z.string(),
  videoBytes: z.number(),
  chunkBytes: z.number(),
  chunkCount: z.number(),
})
export type Upload = z.infer<typeof Upload>

/** A post that was begun. Times in milliseconds since 1970. */
export const Publishing = z.object({
  publishId: z.string(),
  /** The id that it has when it is there. */
  postId: z.string(),
  accountId: z.string(),
  kind: z.enum(['video', 'photo']),
  info: PostInfo,
  begunAt: z.number(),
  /** Null for files that TikTok fetches. */
  upload: Upload.nullable(),
})
export type Publishing = z.infer<typeof Publishing> & {
  chunks: { sha256: string; sizeBytes: number }[]
  /** Since when TikTok has all files, and what will come of it. */
  complete?: Complete
}

export const Complete = z.object({
  at: z.number(),
  files: z.array(StoredFile),
  /** Null: it will be published. */
  failReason: z.string().nullable(),
})
export type Complete = z.infer<typeof Complete>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begun'), publishing: Publishing }),
  z.object({
    type: z.literal('chunk-stored'),
    publishId: z.string(),
    sha256: z.string(),
    sizeBytes: z.number(),
  }),
  z.object({ type: z.literal('completed'), publishId: z.string(), complete: Complete }),
])
type Event = z.infer<typeof Event>

export type State = { publishings: Map<string, Publishing> }

/** The posts of TikTok, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({
    name: 'tiktok',
    schema: Event,
    empty: () => ({ publishings: new Map() }),
    apply,
  })
}

function apply({ publishings }: State, event: Event): void {
  switch (event.type) {
    case 'begun':
      return void publishings.set(event.publishing.publishId, { ...event.publishing, chunks: [] })
    case 'chunk-stored': {
      const { sha256, sizeBytes } = event
      return void publishings.get(event.publishId)?.chunks.push({ sha256, sizeBytes })
    }
    case 'completed': {
      const publishing = publishings.get(event.publishId)
      if (publishing) publishing.complete = event.complete
    }
  }
}
