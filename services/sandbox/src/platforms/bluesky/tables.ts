import { z } from 'zod'
import type { Core } from '../../platform.ts'

const Account = z.object({ did: z.string(), handle: z.string(), createdAt: z.string() })
export type Account = z.infer<typeof Account>

const AppPassword = z.object({ did: z.string(), revoked: z.boolean() })

/** One login. Its refresh token changes with each use; the one before is then no longer accepted. */
const Session = z.object({
  id: z.string(),
  did: z.string(),
  refreshId: z.string(),
  revoked: z.boolean(),
})
export type Session = z.infer<typeof Session>

const Post = z.object({
  did: z.string(),
  rkey: z.string(),
  cid: z.string(),
  record: z.record(z.string(), z.unknown()),
  /** When the server took it, whatever the record says. */
  at: z.string(),
})
export type Post = z.infer<typeof Post>

const Blob = z.object({
  cid: z.string(),
  did: z.string(),
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
})
export type Blob = z.infer<typeof Blob>

export type Bluesky = ReturnType<typeof createTables> & {
  core: Core
  url: string
  /** Signs the tokens. */
  secret: () => string
}

/** What the server knows. */
export function createTables({ store }: Core) {
  return {
    accounts: store.table('bluesky.accounts', Account),
    appPasswords: store.table('bluesky.appPasswords', AppPassword),
    sessions: store.table('bluesky.sessions', Session),
    /** By `did/rkey`. */
    posts: store.table('bluesky.posts', Post),
    /** By `did/cid`. */
    blobs: store.table('bluesky.blobs', Blob),
    secrets: store.table('bluesky.secrets', z.string()),
  }
}
