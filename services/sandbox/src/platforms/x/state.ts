import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

export const Category = z.enum(['tweet_image', 'tweet_gif', 'tweet_video', 'amplify_video'])
export type Category = z.infer<typeof Category>

/** An upload that was begun. Times in milliseconds since 1970. */
export const Upload = z.object({
  id: z.string(),
  accountId: z.string(),
  mimeType: z.string(),
  category: Category,
  totalBytes: z.number(),
  expiresAt: z.number(),
})
/** The whole file. */
export const Whole = z.object({
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  /** When X has processed it; null for pictures, which need no processing. */
  readyAt: z.number().nullable(),
  /** Whether X finds then that it cannot be processed. */
  isBroken: z.boolean(),
})
export type Media = z.infer<typeof Upload> & {
  /** The parts that have come, by their index. */
  segments: Map<number, { sha256: string; sizeBytes: number }>
  whole?: z.infer<typeof Whole>
  altText: string | null
}

export const Post = z.object({
  id: z.string(),
  accountId: z.string(),
  text: z.string(),
  mediaIds: z.array(z.string()),
  replySettings: z.string(),
  createdAt: z.string(),
})
export type Post = z.infer<typeof Post>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('upload-begun'), upload: Upload }),
  z.object({
    type: z.literal('segment-appended'),
    id: z.string(),
    index: z.number(),
    sha256: z.string(),
    sizeBytes: z.number(),
  }),
  z.object({ type: z.literal('upload-finalized'), id: z.string(), whole: Whole }),
  z.object({ type: z.literal('media-described'), id: z.string(), altText: z.string() }),
  z.object({ type: z.literal('post-made'), post: Post }),
])
export type Event = z.infer<typeof Event>

export type State = { media: Map<string, Media>; posts: Map<string, Post>; lastId: bigint }

/** What X knows beside accounts and grants, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({
    name: 'X',
    schema: Event,
    empty: () => ({ media: new Map(), posts: new Map(), lastId: 0n }),
    apply,
  })
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'upload-begun':
      noteId(state, event.upload.id)
      state.media.set(event.upload.id, { ...event.upload, segments: new Map(), altText: null })
      return
    case 'segment-appended': {
      const { id, index, sha256, sizeBytes } = event
      return void state.media.get(id)?.segments.set(index, { sha256, sizeBytes })
    }
    case 'upload-finalized':
      return change(state, event.id, { whole: event.whole })
    case 'media-described':
      return change(state, event.id, { altText: event.altText })
    case 'post-made':
      noteId(state, event.post.id)
      return void state.posts.set(event.post.id, event.post)
  }
}

function change(state: State, id: string, changes: Partial<Media>): void {
  const media = state.media.get(id)
  if (media) state.media.set(id, { ...media, ...changes })
}

function noteId(state: State, id: string): void {
  if (BigInt(id) > state.lastId) state.lastId = BigInt(id)
}
