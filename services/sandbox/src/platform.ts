import type { Request, Router } from 'express'
import type { Logger } from '@herald/service/logger'
import type { Clock } from './clock.ts'
import type { CallKind, Faults, PlatformName } from './faults.ts'
import type { Requests } from './requests.ts'
import type { Store } from './store.ts'

/** What every platform is built on. */
export type Core = {
  /** Where the sandbox is reached, without a slash at the end. */
  url: string
  store: Store
  clock: Clock
  faults: Faults
  requests: Requests
  logger: Logger
}

export type LiveMedia = {
  mimeType: string
  sizeBytes: number
  sha256: string
  width: number | null
  height: number | null
  altText: string | null
}

/** A post as the public sees it. */
export type LivePost = {
  platform: PlatformName
  account: string
  id: string
  url: string
  text: string
  media: LiveMedia[]
  at: string
}

/** One stand-in. */
export type SandboxPlatform = {
  platform: PlatformName
  /** Where it is mounted, such as `/mastodon`. */
  path: string
  router: Router
  /** What a username may look like. */
  username: RegExp
  /** Makes an account, or gives the existing one of that username new credentials. */
  createAccount: (username: string) => { account: string; credentials: Record<string, string> }
  livePosts: () => LivePost[]
  /** Withdraws every permission of an account; false when there is no such account. */
  revoke: (account: string) => boolean
  /** What an account is called, for people. */
  nameOf: (account: string) => string
}

/** What a call is answered; `applied` when it made or changed a post. */
export type Answer = {
  status: number
  body: unknown
  headers?: Record<string, string>
  applied?: boolean
}

/** What the calls of one platform have in common. */
export type Manners = {
  platform: PlatformName
  /** Whose call this is, also when the token is no longer good. */
  accountOf: (request: Request) => string | null
  /** Counts the call; gives the headers of the answer, and the answer itself when the limit is reached. */
  admit: (call: { request: Request; account: string | null; on: CallKind }) => {
    headers: Record<string, string>
    refused?: Answer | undefined
  }
  serverError: () => Answer
  authExpired: () => Answer
  /** Too many requests, with the reset at this time in milliseconds since 1970. */
  rateLimited: (resetMs: number) => Answer
}
