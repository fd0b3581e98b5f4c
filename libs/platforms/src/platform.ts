import type { ChannelRules, Platform } from '@herald/contracts/platforms'

/** A file as far as rules and connectors look at it. Sizes in bytes, dimensions in pixels. */
export type MediaFacts = {
  id: string
  type: 'image' | 'gif' | 'video' | 'document' | 'audio'
  mimeType: string
  sizeBytes: number
  width: number | null
  height: number | null
  durationSeconds: number | null
  altText: string | null
}

/** What would be published on one channel; `textPath` is where the text stands in the request's body. */
export type Draft = {
  text: string
  textPath: string
  options: Record<string, unknown>
  media: readonly MediaFacts[]
}

/** A rule that a draft breaks. */
export type Finding = {
  rule: string
  limit?: number
  actual?: number
  path: string
  message: string
}

/** The rules of a platform. Pure: no IO, so that domain code may use them. */
export type PlatformRules = {
  platform: Platform
  /** The platform's name for people. */
  name: string
  /** The limits where an instance does not state its own. */
  defaults: ChannelRules
  /** All the rules that a draft breaks on a channel. */
  check: (draft: Draft, channel: { rules: ChannelRules }) => Finding[]
}

/** The account that credentials belong to. `secrets` is what must be kept, encrypted; `rules` the instance's own limits. */
export type Identity = {
  account: string
  username: string
  name: string
  avatarUrl: string | null
  rules: Partial<ChannelRules>
  secrets: Record<string, string>
}

/** A usable token; `secrets` when what is kept has changed. */
export type FreshToken = { token: string; secrets?: Record<string, string> }

/** What every call for one attempt says. */
export type PublishInput = {
  /** The platform's or instance's address, without a trailing slash. */
  baseUrl: string
  token: string
  account: string
  username: string
  /** The same for every call of one attempt, and of no other. */
  idempotencyKey: string
  /** When the attempt was made, in milliseconds since 1970; the same for every call. */
  rkeyTime: number
  /** The same instant, ISO 8601. */
  createdAt: string
  text: string
  options: Record<string, unknown>
  media: readonly MediaFacts[]
  signal: AbortSignal
}

/** Outcomes that are certain to have left nothing live. */
export type NothingHappened =
  | { outcome: 'permanent'; errorCode: string; message: string }
  | { outcome: 'reauth'; message: string }
  /** `retryAt` in milliseconds since 1970, if the platform said when. */
  | { outcome: 'rate_limited'; retryAt: number | null; message: string }
  | { outcome: 'transient'; message: string }

export type Published = { platformPostId: string; url: string; publishedAt: string }

/** What came of the call that makes a post live. `unknown`: it may have happened. */
export type CommitOutcome =
  | ({ outcome: 'published' } & Published)
  | NothingHappened
  | { outcome: 'unknown'; message: string }

/** What came of the steps before it; `step` is what the call needs of them. */
export type PrepareOutcome =
  | { outcome: 'ready'; step: Record<string, unknown> }
  | NothingHappened

/** Whether a post is live, as far as reading tells. */
export type LookUpOutcome = { found: Published } | { absent: true } | { cannotTell: string }

/**
 * How an unknown outcome can be settled: `key` and `deterministicId` are chosen by Herald and make a repeat harmless,
 * `twoPhase` has an id before the call, `lookup` lists recent posts, `none` has no way.
 */
export type Settles = 'key' | 'deterministicId' | 'twoPhase' | 'lookup' | 'none'

/** How Herald speaks to a platform. Every method has a deadline and follows no redirect. */
export type Connector = {
  settles: Settles
  /** Whose credentials are these? Throws `ConnectError`. */
  identify: (input: {
    baseUrl: string
    credentials: Record<string, string>
  }) => Promise<Identity>
  /**
   * A token to publish with, renewed when needed. `deadToken` is one that the platform refused. Throws `ConnectError`:
   * `refused` only when the platform says that the grant itself is dead, `unavailable` for everything else.
   */
  freshToken: (input: {
    baseUrl: string
    secrets: Record<string, string>
    /** Milliseconds since 1970. */
    now: number
    deadToken?: string | undefined
  }) => Promise<FreshToken>
  /** The steps before the call; nothing is live after them. */
  prepare: (input: PublishInput) => Promise<PrepareOutcome>
  /** The ONE call that makes the post live. */
  commit: (input: PublishInput & { step: Record<string, unknown> }) => Promise<CommitOutcome>
  /** Looks, reading only, whether a call made at `calledAt` (ISO 8601) made the post live. */
  lookUp: (
    input: PublishInput & { step: Record<string, unknown>; calledAt: string },
  ) => Promise<LookUpOutcome>
}

export type PlatformDefinition = { rules: PlatformRules; connector: Connector }

/** The platform refused the credentials, or could not be asked. The message is for the account's owner. */
export class ConnectError extends Error {
  override name = 'ConnectError'
  readonly kind: 'refused' | 'unavailable'
  constructor(kind: 'refused' | 'unavailable', message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
