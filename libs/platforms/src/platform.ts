import type { Readable } from 'node:stream'
import type { ChannelRules, Platform } from '@herald/contracts/platforms'

/**
 * One platform as its folder describes it. The connector is loaded apart, so that code which only needs the rules
 * (the posts service's domain) loads no networking.
 */
export type PlatformEntry = {
  rules: PlatformRules
  /**
   * The platform's settings with their defaults: every address, the app's id, versions. Null: there is none unless
   * somebody sets it. `apiUrl` of X is set by `X_API_URL`. A platform of many instances has no `apiUrl`; its
   * channels have an address of their own.
   */
  settings: Record<string, string | null>
  /** Those that stay in the channels service, such as `clientSecret`. The publisher gets the others. */
  secretSettings: readonly string[]
  pace: Pace
  loadConnector: () => Promise<Connector>
}

/** How many posts are in work at a time in one publisher: on the whole platform, and on one account. */
export type Pace = { platform: number; account: number }

/** A platform with its connector loaded. */
export type PlatformDefinition = {
  platform: Platform
  /** For people: `Mastodon`. */
  name: string
  rules: PlatformRules
  settings: Record<string, string | null>
  secretSettings: readonly string[]
  pace: Pace
  connector: Connector
}

/** A platform's settings as they are in force. Those without a value are left out. */
export type Settings = Record<string, string>

export type MediaType = 'image' | 'gif' | 'video' | 'document' | 'audio'

/** What is known of a file of a post. Times are in seconds, sizes in bytes and pixels. */
export type MediaFacts = {
  id: string
  type: MediaType
  mimeType: string
  sizeBytes: number
  width: number | null
  height: number | null
  durationSeconds: number | null
  altText: string | null
}

/** A post as one platform's channels would get it. */
export type Draft = {
  text: string
  /** Where the text stands in the body of `POST /posts`: `content` or `platformContent.MASTODON`. */
  textPath: string
  /** The platform's own object of the body, such as `mastodon`. */
  options: Record<string, unknown>
  media: readonly MediaFacts[]
}

/** One rule that a draft breaks. `path` is dotted, into the body of `POST /posts`; `message` is for a person. */
export type Finding = {
  rule: string
  limit?: number
  actual?: number
  path: string
  message: string
}

/** The rules of a platform (specification, "Channel rules"). Pure. */
export type PlatformRules = {
  platform: Platform
  /** For people: `Mastodon`. */
  name: string
  /** What holds before an instance's own limits are known. */
  defaults: ChannelRules
  /** Every rule that the draft breaks on a channel with these rules and limits. */
  check(draft: Draft, channel: { rules: ChannelRules; limits: Limits }): Finding[]
  /** The length of a text as the platform counts it. */
  countText(text: string, options: Record<string, unknown>): number
}

/**
 * What a platform allows one account beyond the `ChannelRules`, such as the privacy levels of a TikTok creator, and
 * what publishing must know of it, such as the guild of a Discord channel. Each platform's folder has its schema.
 */
export type Limits = Record<string, unknown>

/** Limits for one call while connecting; the call has a deadline of its own when none is given. */
export type HttpDeps = { timeoutMs?: number; signal?: AbortSignal }

/** Whose credentials they were, and what to keep of them. */
export type Identity = {
  /** The platform's id of the account. */
  account: string
  username: string
  name: string
  avatarUrl: string | null
  /** Where this account's limits differ from the platform's defaults. */
  rules: Partial<ChannelRules>
  /** None unless given. */
  limits?: Limits
  /** To be stored encrypted and given back to `freshToken`. */
  secrets: Record<string, string>
  /** When the token expires, in milliseconds since 1970; null or absent when it does not or does not say. */
  expiresAt?: number | null
}

/** Credentials as a person gives them; a platform with OAuth takes what it stores as `secrets`. */
export type IdentifyInput = { baseUrl: string; credentials: Record<string, string> }

export type TokenInput = {
  baseUrl: string
  /** All of them, secret ones too. */
  settings: Settings
  secrets: Record<string, string>
  /** In milliseconds since 1970. */
  now: number
  /** A token that the platform has just refused; it is not answered again without asking the platform. */
  deadToken?: string | undefined
  /** A token that expires within this time is renewed, in milliseconds; a minute unless given. */
  aheadMs?: number
}

/** A usable bearer token. `secrets` is there when they changed: all of them, to replace the stored ones. */
export type FreshToken = {
  token: string
  secrets?: Record<string, string>
  /** In milliseconds since 1970, null when the token does not expire or does not say. */
  expiresAt: number | null
}

/** A picture of a platform's taste: at most these bytes and pixels, of one of these types. */
export type ImageLimits = {
  mimeTypes: readonly string[]
  maxBytes: number
  maxWidth?: number
  maxHeight?: number
  /** Of width times height. */
  maxPixels?: number
}

/** A picture at a public address without credentials or redirects. */
export type HostedImage = { url: string; mimeType: string; width: number; height: number }

export type SizedImage = { bytes: Uint8Array; mimeType: string; width: number; height: number }

/** A file of a post with its bytes. */
export type PublishFile = MediaFacts & {
  /** As it was called where it came from, with its ending. */
  fileName: string
  /** Public address without credentials or redirects, for platforms that fetch files themselves. */
  url: string
  /** The bytes as they were verified, `sizeBytes` many. Rejects, or fails while it is read, with `FileUnavailable`. */
  open(): Promise<Readable>
  /** A part of these bytes, from `start` to before `end`; rejects like `open`. */
  slice(start: number, end: number): Promise<Uint8Array>
  /**
   * The picture within a platform's limits: unchanged when it fits, else converted and shrunk, never enlarged; of an
   * animated one its first frame. Rejects with `FileUnfit` when that is impossible, and with `FileUnavailable`.
   */
  image(limits: ImageLimits): Promise<SizedImage>
  /** The same as an address that a platform can fetch it from: the file's own when it fits. Rejects like `image`. */
  imageUrl(limits: ImageLimits): Promise<HostedImage>
}

/** What every publishing call is given. It stays the same over all calls for one post and channel. */
export type PublishInput = {
  baseUrl: string
  /** Those that are no secret. */
  settings: Settings
  token: string
  account: string
  username: string
  limits: Limits
  /** The same for every call of one post on one channel, retries included, and for no other. */
  idempotencyKey: string
  /** In milliseconds since 1970; stable like the key. */
  rkeyTime: number
  text: string
  options: Record<string, unknown>
  /** ISO 8601 in UTC. */
  createdAt: string
  /** `prepare` reads their bytes, and so does a `commit` that is the last part of an upload. */
  media: readonly PublishFile[]
  signal: AbortSignal
}

/** The steps already done, as `prepare` answered them: ids of uploads and containers. */
export type Prepared = { step: Record<string, unknown> }

/** `step` is what earlier calls had done, whole or in part; none of it is done again. */
export type PrepareInput = PublishInput &
  Partial<Prepared> & {
    /** Keeps what is done so far. When it rejects, `prepare` rejects with the same. */
    onStep?: (step: Record<string, unknown>) => Promise<void>
  }

/** A post that is live. `publishedAt` is ISO 8601 in UTC. */
export type Live = { platformPostId: string; url: string; publishedAt: string }

/** Certain: nothing is live because of this call. */
export type NotPublished =
  /** The platform refuses this post, and would again. */
  | { outcome: 'permanent'; errorCode: string; message: string }
  /** The platform does not accept the token. */
  | { outcome: 'reauth'; message: string }
  /**
   * `retryAt` is in milliseconds since 1970, at most 15 minutes ahead. `isOfApp` when it is the limit of the app or the
   * server, so that no account may call; without it, it is the account's.
   */
  | { outcome: 'rate_limited'; retryAt: number | null; message: string; isOfApp?: true }
  /** `isOwnFault` when it says nothing of the platform: a file could not be had here. */
  | { outcome: 'transient'; message: string; isOwnFault?: true }

export type PrepareResult = ({ outcome: 'ready' } & Prepared) | NotPublished

export type CommitOutcome =
  | ({ outcome: 'published' } & Live)
  | NotPublished
  /** Certain: nothing is live, and the platform has lost what `prepare` left there. It is prepared again, from the beginning. */
  | { outcome: 'unprepared'; message: string }
  /**
   * The call may have been carried out: it must not be made again before it has been looked up. `isWorking` when the
   * platform has taken it and is still at work, as it usually is; without it, it is a sign that the platform is not well.
   * A `step` replaces the one of `prepare`: it has what the call has brought, such as an id to look it up by.
   */
  | { outcome: 'unknown'; message: string; isWorking?: true; step?: Record<string, unknown> }

export type LookUpOutcome =
  | { found: Live }
  /** Nothing is live as far as can be seen now. */
  | { absent: true }
  /** Certain: the platform took the call, judged the post later, and made nothing live. */
  | { refused: { errorCode: string; message: string } }
  /** The platform has the call and is still at work on the post: it is asked until the time of the post is over. */
  | { pending: string }
  /** Why nobody knows; it is looked up again a few times. */
  | { cannotTell: string }

/** When the call in question was begun, ISO 8601 in UTC. */
export type LookUpInput = PublishInput & Prepared & { calledAt: string }

/** How to speak to a platform. Publishing functions answer outcomes and do not throw. */
export type Connector = {
  /** Whose credentials are these? Throws `ConnectError`. */
  identify(input: IdentifyInput & { settings: Settings }, deps?: HttpDeps): Promise<Identity>
  /**
   * A usable token, renewed when that is needed. Throws `ConnectError`: `refused` only when the platform said that
   * the credentials themselves are no longer good, else `unavailable`.
   */
  freshToken(input: TokenInput, deps?: HttpDeps): Promise<FreshToken>
  /**
   * The steps before the call that makes the post live: uploads, containers, look-ups. Nothing is live after it, and
   * it may be called again at any time, with the steps kept so far.
   */
  prepare(input: PrepareInput): Promise<PrepareResult>
  /** The ONE call that makes the post live. */
  commit(input: PublishInput & Prepared): Promise<CommitOutcome>
  /** How much longer `commit` may take for files that it sends itself, in milliseconds; no longer unless given. */
  commitTimeMs?(media: readonly MediaFacts[]): number
  /** Looks, reading only, whether a commit of unknown outcome made the post live. */
  lookUp(input: LookUpInput): Promise<LookUpOutcome>
  /** What settles an unknown outcome: see "Publishing" in the README. */
  settles: 'key' | 'deterministicId' | 'twoPhase' | 'lookup' | 'none'
  /** How a person grants access in a browser, where the platform has that. */
  oauth?: OAuth
  /** What the account's own rules and limits are now. They are asked for daily, and after a refusal they explain. */
  readLimits?(
    input: AccountInput,
    deps?: HttpDeps,
  ): Promise<{ rules: Partial<ChannelRules>; limits: Limits }>
  /** What can be chosen for the options of a post to this account. Throws `ConnectError`. */
  choices?(
    input: AccountInput & { query: Record<string, string> },
    deps?: HttpDeps,
  ): Promise<Choices[]>
}

/** A call in an account's name that publishes nothing. */
export type AccountInput = {
  baseUrl: string
  settings: Settings
  token: string
  account: string
  limits: Limits
}

/** The values that an option of a post can have on one channel (`GET /channels/{id}/options`). */
export type Choices = {
  /** Dotted path into the body of `POST /posts`, such as `pinterest.boardId`. */
  field: string
  choices: { value: string; label: string }[]
  /** The query parameter that must be given to know them, such as `subreddit`; absent when none is missing. */
  needs?: string
}

/** OAuth 2 as one platform does it. Both functions throw `ConnectError`. */
export type OAuth = {
  /**
   * Where a person is sent to grant access. `kept` is stored, encrypted, with the state and given to `finish`: a PKCE
   * verifier, or the app that was registered at the instance.
   */
  begin(
    input: GrantInput & { state: string },
    deps?: HttpDeps,
  ): Promise<{ url: string; kept: Record<string, string> }>
  /** The accounts that the person has granted; several where a person may own many, such as Facebook Pages. */
  finish(
    input: GrantInput & { kept: Record<string, string>; query: Record<string, string> },
    deps?: HttpDeps,
  ): Promise<Identity[]>
  /** Ends the grant, for a channel that is disconnected. */
  revoke?(
    input: { baseUrl: string; settings: Settings; secrets: Record<string, string> },
    deps?: HttpDeps,
  ): Promise<void>
}

export type GrantInput = {
  baseUrl: string
  /** All of them, secret ones too. */
  settings: Settings
  redirectUri: string
  /** In milliseconds since 1970. */
  now: number
}

/**
 * A platform did not give what connecting or renewing needs. `refused` is the platform's definite answer about the
 * credentials; `unavailable` says nothing about them. The message is for a person and holds no secret.
 */
export class ConnectError extends Error {
  override name = 'ConnectError'
  readonly kind: 'refused' | 'unavailable'

  constructor(kind: 'refused' | 'unavailable', message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.kind = kind
  }
}

/** The bytes of a file cannot be had, or are not those that were verified. The message is for a person. */
export class FileUnavailable extends Error {
  override name = 'FileUnavailable'
  /** Whether trying again could help. */
  readonly retryable: boolean

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, options)
    this.retryable = options.retryable
  }
}

/** A file cannot be made into what a platform takes. The message is for a person. */
export class FileUnfit extends Error {
  override name = 'FileUnfit'
}
