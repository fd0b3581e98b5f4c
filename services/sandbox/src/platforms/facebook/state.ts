import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

export const Media = z.object({
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  altText: z.string().nullable(),
})
export type Media = z.infer<typeof Media>

export const Photo = z.object({
  id: z.string(),
  pageId: z.string(),
  media: Media,
  postId: z.string().nullable(),
})
export type Photo = z.infer<typeof Photo>

export const Post = z.object({
  /** With the id of the Page before it. */
  id: z.string(),
  pageId: z.string(),
  message: z.string(),
  link: z.string().nullable(),
  photoIds: z.array(z.string()),
  /** Milliseconds since 1970. */
  at: z.number(),
})
export type Post = z.infer<typeof Post>

export const Video = z.object({
  id: z.string(),
  pageId: z.string(),
  isReel: z.boolean(),
  /** Null until it is fetched. */
  media: Media.nullable(),
  /** Why fetching it failed. */
  uploadProblem: z.string().nullable(),
  description: z.string(),
  title: z.string(),
  /** When it was told to be published, and when it is processed then; milliseconds since 1970. */
  publishedAt: z.number().nullable(),
  readyAt: z.number().nullable(),
  problem: z.string().nullable(),
  madeAt: z.number(),
})
export type Video = z.infer<typeof Video>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('photo-brought'), photo: Photo }),
  z.object({ type: z.literal('post-made'), post: Post }),
  z.object({ type: z.literal('video-changed'), video: Video }),
])
type Event = z.infer<typeof Event>

export type State = {
  photos: Map<string, Photo>
  posts: Map<string, Post>
  videos: Map<string, Video>
}

/** What is on the Pages, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({
    name: 'FACEBOOK',
    schema: Event,
    empty: () => ({ photos: new Map(), posts: new Map(), videos: new Map() }),
    apply,
  })
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'photo-brought':
      return void state.photos.set(event.photo.id, event.photo)
    case 'post-made':
      state.posts.set(event.post.id, event.post)
      for (const id of event.post.photoIds) {
        const photo = state.photos.get(id)
        if (photo) state.photos.set(id, { ...photo, postId: event.post.id })
      }
      return
    case 'video-changed':
      return void state.videos.set(event.video.id, event.video)
  }
}
