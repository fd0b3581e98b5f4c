import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

const Board = z.object({
  id: z.string(),
  accountId: z.string(),
  name: z.string(),
  /** Milliseconds since 1970, as all times here. */
  createdAt: z.number(),
})
export type Board = z.infer<typeof Board>

/** A video that was announced, and what came of it. */
const Media = z.object({
  id: z.string(),
  accountId: z.string(),
  policy: z.string(),
  uploadUntil: z.number(),
})
export type Media = z.infer<typeof Media> & { file?: StoredFile; readyAt?: number }

const StoredFile = z.object({
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
})
export type StoredFile = z.infer<typeof StoredFile>

const Pin = z.object({
  id: z.string(),
  accountId: z.string(),
  boardId: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  altText: z.string().nullable(),
  link: z.string().nullable(),
  files: z.array(StoredFile),
  createdAt: z.number(),
})
export type Pin = z.infer<typeof Pin>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('board-made'), board: Board }),
  z.object({ type: z.literal('media-registered'), media: Media }),
  z.object({
    type: z.literal('media-uploaded'),
    id: z.string(),
    file: StoredFile,
    /** When it is processed. */
    readyAt: z.number(),
  }),
  z.object({ type: z.literal('pin-made'), pin: Pin }),
])
type Event = z.infer<typeof Event>

export type State = {
  boards: Map<string, Board>
  media: Map<string, Media>
  pins: Map<string, Pin>
}

/** What Pinterest knows of its accounts' boards, videos and pins, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({
    name: 'PINTEREST',
    schema: Event,
    empty: () => ({ boards: new Map(), media: new Map(), pins: new Map() }),
    apply,
  })
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'board-made':
      return void state.boards.set(event.board.id, event.board)
    case 'media-registered':
      return void state.media.set(event.media.id, event.media)
    case 'media-uploaded': {
      const { id, file, readyAt } = event
      const media = state.media.get(id)
      if (media) state.media.set(id, { ...media, file, readyAt })
      return
    }
    case 'pin-made':
      return void state.pins.set(event.pin.id, event.pin)
  }
}
