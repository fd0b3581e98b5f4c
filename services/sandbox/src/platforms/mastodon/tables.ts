import { z } from 'zod'
import type { Core } from '../../platform.ts'

const Account = z.object({ id: z.string(), username: z.string(), createdAt: z.string() })
export type Account = z.infer<typeof Account>

const Token = z.object({
  account: z.string(),
  scopes: z.array(z.string()),
  clientId: z.string().nullable(),
  revoked: z.boolean(),
  createdAt: z.string(),
})
export type Token = z.infer<typeof Token>

const Media = z.object({
  id: z.string(),
  account: z.string(),
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  description: z.string().nullable(),
  readyAtMs: z.number(),
  attached: z.boolean(),
})
export type Media = z.infer<typeof Media>

const Status = z.object({
  id: z.string(),
  account: z.string(),
  text: z.string(),
  spoilerText: z.string(),
  visibility: z.enum(['public', 'unlisted', 'private', 'direct']),
  sensitive: z.boolean(),
  language: z.string().nullable(),
  inReplyToId: z.string().nullable(),
  mediaIds: z.array(z.string()),
  at: z.string(),
})
export type Status = z.infer<typeof Status>

const Remembered = z.object({ statusId: z.string(), atMs: z.number() })
const App = z.object({
  name: z.string(),
  website: z.string().nullable(),
  clientSecret: z.string(),
  redirectUris: z.array(z.string()),
  scopes: z.array(z.string()),
})
export type App = z.infer<typeof App>

const Code = z.object({
  clientId: z.string(),
  redirectUri: z.string(),
  account: z.string(),
  scopes: z.array(z.string()),
  challenge: z.string().nullable(),
  atMs: z.number(),
  used: z.boolean(),
})

export type Mastodon = ReturnType<typeof createTables> & { core: Core; url: string }

/** What the instance knows. */
export function createTables({ store, clock }: Core) {
  const tables = {
    accounts: store.table('mastodon.accounts', Account),
    tokens: store.table('mastodon.tokens', Token),
    statuses: store.table('mastodon.statuses', Status),
    media: store.table('mastodon.media', Media),
    /** What an Idempotency-Key of an account has led to. */
    idempotency: store.table('mastodon.idempotency', Remembered),
    apps: store.table('mastodon.apps', App),
    codes: store.table('mastodon.codes', Code),
  }
  const { accounts, statuses, media } = tables
  const ids = [accounts.all(), statuses.all(), media.all()].flat().map(({ id }) => BigInt(id))
  let last = ids.reduce((most, id) => (id > most ? id : most), 0n)
  return {
    ...tables,
    /** Ids grow with time, as those of Mastodon do. */
    newId(): string {
      const byTime = BigInt(Math.floor(clock.now())) << 16n
      last = byTime > last ? byTime : last + 1n
      return String(last)
    },
  }
}
