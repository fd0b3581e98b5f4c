import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** An account of a platform. `secrets` are what it logs in with; `isRevoked` after its owner took the grant back. */
export const Account = z.object({
  platform: z.enum(['MASTODON', 'BLUESKY']),
  id: z.string(),
  username: z.string(),
  secrets: z.record(z.string(), z.string()),
})
export type Account = z.infer<typeof Account>
export type PlatformName = Account['platform']

/** A file that an account uploaded. Its bytes are not kept. */
export const StoredMedia = z.object({
  id: z.string(),
  account: z.string(),
  mimeType: z.string(),
  sizeBytes: z.int(),
  sha256: z.string(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  altText: z.string().nullable(),
})
export type StoredMedia = z.infer<typeof StoredMedia>

/** A post that is live. `record` is what the platform itself keeps of it. */
export const LivePost = z.object({
  platform: Account.shape.platform,
  account: z.string(),
  id: z.string(),
  url: z.string(),
  text: z.string(),
  media: z.array(StoredMedia),
  at: z.string(),
  record: z.record(z.string(), z.unknown()),
})
export type LivePost = z.infer<typeof LivePost>

/** A call that would make a post live, as it came in, and whether it did. */
export const CommitRequest = z.object({
  platform: Account.shape.platform,
  account: z.string(),
  at: z.string(),
  applied: z.boolean(),
  fault: z.string().nullable(),
})
export type CommitRequest = z.infer<typeof CommitRequest>

const Entry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('account'), account: Account }),
  z.object({ kind: z.literal('revoked'), platform: Account.shape.platform, id: z.string() }),
  z.object({ kind: z.literal('media'), media: StoredMedia }),
  z.object({ kind: z.literal('post'), post: LivePost }),
  z.object({ kind: z.literal('request'), request: CommitRequest }),
  z.object({ kind: z.literal('reset') }),
])
type Entry = z.infer<typeof Entry>

/** What the sandbox holds: accounts, files and posts, in the order they came. */
export type Ledger = {
  accounts: Account[]
  revoked: Set<string>
  media: Map<string, StoredMedia>
  posts: LivePost[]
  requests: CommitRequest[]
  write: (entry: Entry) => void
}

/**
 * Opens the ledger. With a folder, every entry is appended to a file before it takes effect, and read again at the next
 * start; without one it lives in memory.
 */
export function openLedger(folder: string | undefined): Ledger {
  const file = folder === undefined ? undefined : join(folder, 'ledger.jsonl')
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  const ledger: Ledger = {
    accounts: [],
    revoked: new Set(),
    media: new Map(),
    posts: [],
    requests: [],
    write: (entry) => {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
      apply(ledger, entry)
    },
  }
  for (const line of file === undefined ? [] : linesOf(file)) {
    const entry = Entry.safeParse(parse(line))
    // The last line may be cut by a kill; an entry that was never whole never took effect.
    if (entry.success) apply(ledger, entry.data)
  }
  return ledger
}

/** The key of an account among all platforms. */
export function accountKey(platform: string, id: string): string {
  return `${platform}/${id}`
}

function apply(ledger: Ledger, entry: Entry): void {
  switch (entry.kind) {
    case 'account':
      ledger.accounts.push(entry.account)
      return
    case 'revoked':
      ledger.revoked.add(accountKey(entry.platform, entry.id))
      return
    case 'media':
      ledger.media.set(entry.media.id, entry.media)
      return
    case 'post':
      ledger.posts.push(entry.post)
      return
    case 'request':
      ledger.requests.push(entry.request)
      return
    case 'reset':
      for (const list of [ledger.accounts, ledger.posts, ledger.requests]) list.length = 0
      ledger.revoked.clear()
      ledger.media.clear()
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
