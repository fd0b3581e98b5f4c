import { z } from 'zod'
import type { Ledger, Part } from '../../ledger.ts'

export const POSTS = 'app.bsky.feed.post'

export const Account = z.object({ did: z.string(), handle: z.string(), createdAt: z.string() })
export type Account = z.infer<typeof Account>

export const Session = z.object({
  did: z.string(),
  /** The app password it was opened with. */
  passwordId: z.string(),
  /** The `jti` of its two tokens. */
  accessId: z.string(),
  refreshId: z.string(),
})
export type Session = z.infer<typeof Session> & {
  isAccessExpired?: boolean
  isRefreshUsed?: boolean
}

export const Blob = z.object({
  did: z.string(),
  cid: z.string(),
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
})
export type Blob = z.infer<typeof Blob>

export const Entry = z.object({
  did: z.string(),
  collection: z.string(),
  rkey: z.string(),
  cid: z.string(),
  value: z.record(z.string(), z.unknown()),
  /** When it was first written. */
  at: z.string(),
})
/** A record in an account's repository. */
export type Entry = z.infer<typeof Entry>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('secret-made'), secret: z.string() }),
  z.object({ type: z.literal('account-made'), account: Account }),
  z.object({
    type: z.literal('password-made'),
    did: z.string(),
    passwordId: z.string(),
    password: z.string(),
  }),
  z.object({ type: z.literal('passwords-revoked'), did: z.string() }),
  z.object({ type: z.literal('session-opened'), session: Session }),
  z.object({ type: z.literal('access-expired'), accessId: z.string() }),
  z.object({ type: z.literal('refresh-used'), refreshId: z.string() }),
  z.object({ type: z.literal('blob-uploaded'), blob: Blob }),
  z.object({ type: z.literal('record-written'), entry: Entry }),
])
export type Event = z.infer<typeof Event>

export type State = {
  /** Signs tokens. */
  secret: string | undefined
  accounts: Map<string, Account>
  passwords: Map<string, { did: string; password: string }>
  sessionsByAccess: Map<string, Session>
  sessionsByRefresh: Map<string, Session>
  blobs: Map<string, Blob>
  records: Map<string, Entry>
}

/** All that a personal data server knows, kept in the ledger. */
export function openState(ledger: Ledger): Part<State, Event> {
  return ledger.part({ name: 'BLUESKY', schema: Event, empty, apply })
}

export function uriOf(of: { did: string; collection: string; rkey: string }): string {
  return `at://${of.did}/${of.collection}/${of.rkey}`
}

/** The text of a post; empty for one that was written without validation and has none. */
export function textOf({ value }: Entry): string {
  return typeof value['text'] === 'string' ? value['text'] : ''
}

/** A blob belongs to the account that uploaded it. */
export function blobKey(did: string, cid: string): string {
  return `${did}/${cid}`
}

function empty(): State {
  return {
    secret: undefined,
    accounts: new Map(),
    passwords: new Map(),
    sessionsByAccess: new Map(),
    sessionsByRefresh: new Map(),
    blobs: new Map(),
    records: new Map(),
  }
}

function apply(state: State, event: Event): void {
  switch (event.type) {
    case 'secret-made':
      state.secret = event.secret
      return
    case 'account-made':
      return void state.accounts.set(event.account.did, event.account)
    case 'password-made':
      return void state.passwords.set(event.passwordId, event)
    case 'passwords-revoked':
      for (const [id, { did }] of state.passwords) if (did === event.did) state.passwords.delete(id)
      return
    case 'session-opened': {
      const session = { ...event.session }
      state.sessionsByAccess.set(session.accessId, session)
      return void state.sessionsByRefresh.set(session.refreshId, session)
    }
    case 'access-expired':
      return mark(state.sessionsByAccess.get(event.accessId), { isAccessExpired: true })
    case 'refresh-used':
      return mark(state.sessionsByRefresh.get(event.refreshId), { isRefreshUsed: true })
    case 'blob-uploaded':
      return void state.blobs.set(blobKey(event.blob.did, event.blob.cid), event.blob)
    case 'record-written':
      state.records.set(uriOf(event.entry), event.entry)
  }
}

function mark(session: Session | undefined, marks: Partial<Session>): void {
  if (session) Object.assign(session, marks)
}
