import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

/** What is said of a video, as it was understood when its upload began. */
export const Metadata = z.object({
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  categoryId: z.string(),
  privacyStatus: z.enum(['public', 'unlisted', 'private']),
  madeForKids: z.boolean(),
  containsSyntheticMedia: z.boolean(),
})
export type Metadata = z.infer<typeof Metadata>

/** An upload that was begun. Times in milliseconds since 1970. */
export const Session = z.object({
  id: z.string(),
  accountId: z.string(),
  /** The parts of the video that its maker asked to be answered. */
  parts: z.array(z.string()),
  metadata: Metadata,
  /** Null: it will be told with the parts. */
  totalBytes: z.number().nullable(),
  createdAt: z.number(),
})
export type Session = z.infer<typeof Session> & {
  /** What has come so far, by SHA-256, in its order. */
  stored: { sha256: string; sizeBytes: number }[]
  videoId?: string
}

/** Why a video does not get to be seen, known once it is processed. */
export const Fate = z.object({
  uploadStatus: z.enum(['processed', 'failed', 'rejected']),
  reason: z.string().nullable(),
})

export const Video = z.object({
  id: z.string(),
  accountId: z.string(),
  metadata: Metadata,
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  publishedAt: z.number(),
  processedAt: z.number(),
  fate: Fate,
})
export type Video = z.infer<typeof Video>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session-opened'), session: Session }),
  z.object({
    type: z.literal('part-stored'),
    sessionId: z.string(),
    sha256: z.string(),
    sizeBytes: z.number(),
  }),
  z.object({ type: z.literal('video-made'), sessionId: z.string(), video: Video }),
])
type Event = z.infer<typeof Event>

export type State = { sessions: Map<string, Session>; videos: Map<string, Video> }

/** The uploads and videos of YouTube, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({
    name: 'youtube',
    schema: Event,
    empty: () => ({ sessions: new Map(), videos: new Map() }),
    apply,
  })
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'session-opened':
      return void state.sessions.set(event.session.id, { ...event.session, stored: [] })
    case 'part-stored': {
      const { sha256, sizeBytes } = event
      return void state.sessions.get(event.sessionId)?.stored.push({ sha256, sizeBytes })
    }
    case 'video-made': {
      const session = state.sessions.get(event.sessionId)
      if (session) session.videoId = event.video.id
      state.videos.set(event.video.id, event.video)
    }
  }
}
