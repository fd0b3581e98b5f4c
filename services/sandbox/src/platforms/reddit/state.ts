import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

/** The right to upload one file. */
const Lease = z.object({
  assetId: z.string(),
  accountId: z.string(),
  mimeType: z.string(),
  policy: z.string(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
})
export type Lease = z.infer<typeof Lease>

const StoredFile = z.object({
  assetId: z.string(),
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
})
export type StoredFile = z.infer<typeof StoredFile>

const Post = z.object({
  /** Without `t3_`. */
  id: z.string(),
  accountId: z.string(),
  subreddit: z.string(),
  title: z.string(),
  text: z.string(),
  kind: z.enum(['self', 'link', 'image', 'video', 'videogif', 'gallery']),
  /** What a link leads to. */
  link: z.string().nullable(),
  /** The files in their order, without the poster of a video. */
  assetIds: z.array(z.string()),
  nsfw: z.boolean(),
  spoiler: z.boolean(),
  flairId: z.string().nullable(),
  /** When it is there for everybody, milliseconds since 1970: at once, or when its file is processed. */
  readyAt: z.number(),
  /** Whether it turns out then that the file cannot be processed. */
  isBroken: z.boolean(),
})
export type Post = z.infer<typeof Post>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('lease-made'), lease: Lease }),
  z.object({ type: z.literal('file-stored'), file: StoredFile }),
  z.object({ type: z.literal('post-submitted'), post: Post }),
])
type Event = z.infer<typeof Event>

export type State = {
  leases: Map<string, Lease>
  files: Map<string, StoredFile>
  posts: Map<string, Post>
}

/** What was uploaded and posted, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({
    name: 'REDDIT',
    schema: Event,
    empty: () => ({ leases: new Map(), files: new Map(), posts: new Map() }),
    apply,
  })
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'lease-made':
      return void state.leases.set(event.lease.assetId, event.lease)
    case 'file-stored':
      return void state.files.set(event.file.assetId, event.file)
    case 'post-submitted':
      return void state.posts.set(event.post.id, event.post)
  }
}
