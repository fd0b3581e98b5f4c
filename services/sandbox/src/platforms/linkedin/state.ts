import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

/** A page of an organization, and the member who administers it. */
export const Organization = z.object({ id: z.string(), adminId: z.string(), name: z.string() })
export type Organization = z.infer<typeof Organization>

const Kind = z.enum(['image', 'video', 'document'])
export type Kind = z.infer<typeof Kind>

/** A file that was announced. Times in milliseconds since 1970. */
export const Asset = z.object({
  urn: z.string(),
  kind: Kind,
  owner: z.string(),
  /** Of a video; null of what is sent in one piece. */
  sizeBytes: z.number().nullable(),
  uploadToken: z.string(),
  expiresAt: z.number(),
})
/** The whole file. */
export const Whole = z.object({
  sha256: z.string(),
  sizeBytes: z.number(),
  mimeType: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  readyAt: z.number(),
  /** Why LinkedIn finds then that it cannot be processed; null when it can. */
  failure: z.string().nullable(),
})
export type Asset = z.infer<typeof Asset> & {
  /** The parts that have come, by their index. */
  parts: Map<number, { sha256: string; etag: string }>
  whole?: z.infer<typeof Whole>
}

export const Post = z.object({
  urn: z.string(),
  author: z.string(),
  commentary: z.string(),
  /** The text that people see. */
  text: z.string(),
  visibility: z.string(),
  media: z.array(z.object({ urn: z.string(), altText: z.string().nullable() })),
  title: z.string().nullable(),
  createdAt: z.number(),
})
export type Post = z.infer<typeof Post>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('organization-made'), organization: Organization }),
  z.object({ type: z.literal('upload-begun'), asset: Asset }),
  z.object({
    type: z.literal('part-received'),
    urn: z.string(),
    index: z.number(),
    sha256: z.string(),
    etag: z.string(),
  }),
  z.object({ type: z.literal('upload-complete'), urn: z.string(), whole: Whole }),
  z.object({ type: z.literal('post-made'), post: Post }),
])
export type Event = z.infer<typeof Event>

export type State = {
  /** By the member who administers it. */
  organizations: Map<string, Organization>
  assets: Map<string, Asset>
  posts: Map<string, Post>
  lastId: bigint
}

/** What LinkedIn knows beside members and grants, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({
    name: 'LINKEDIN',
    schema: Event,
    empty: () => ({
      organizations: new Map(),
      assets: new Map(),
      posts: new Map(),
      lastId: 0n,
    }),
    apply,
  })
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'organization-made':
      noteId(state, event.organization.id)
      return void state.organizations.set(event.organization.adminId, event.organization)
    case 'upload-begun':
      return void state.assets.set(event.asset.urn, { ...event.asset, parts: new Map() })
    case 'part-received': {
      const { urn, index, sha256, etag } = event
      return void state.assets.get(urn)?.parts.set(index, { sha256, etag })
    }
    case 'upload-complete': {
      const asset = state.assets.get(event.urn)
      if (asset) state.assets.set(event.urn, { ...asset, whole: event.whole })
      return
    }
    case 'post-made':
      noteId(state, event.post.urn.split(':').at(-1) ?? '0')
      return void state.posts.set(event.post.urn, event.post)
  }
}

function noteId(state: State, id: string): void {
  if (BigInt(id) > state.lastId) state.lastId = BigInt(id)
}
