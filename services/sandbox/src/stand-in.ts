import type { Platform } from '@herald/contracts/platforms'
import type { Answer, Call } from './call.ts'
import type { Files } from './files.ts'
import type { Ledger } from './ledger.ts'

/** What an operation is to a client; faults are armed by it. A `page` is for people and never has a fault. */
export type OperationKind = 'commit' | 'media' | 'auth' | 'read' | 'page'

/** One endpoint of a platform. */
export type Operation = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Below the platform's base address, with `:name` for a parameter. */
  path: string
  kind: OperationKind
  /** What this call is, where one endpoint does several things. */
  kindOf?: (call: Call) => OperationKind
  /** Longest body that is read; 1 MB unless given. */
  maxBytes?: number
  /** Whose call it is, where that is not told by the bearer token. */
  accountOf?: (call: Call) => string | undefined | Promise<string | undefined>
  /** The key by which the platform knows a repeated commit: an idempotency key or a record key. */
  keyOf?: (call: Call) => string | undefined
  handle: (call: Call) => Answer | Promise<Answer>
}

/** What a stand-in is given to stand on. */
export type World = {
  /** The platform's base address, known once the server listens. */
  baseUrl: () => string
  /** Milliseconds since 1970 by the sandbox's clock. */
  now: () => number
  ledger: Ledger
  files: Files
  /** Whether a limit that is exceeded refuses the call. */
  refusesByRate: boolean
}

export type Metered = { headers: Record<string, string>; refusal?: Answer | undefined }

/** A new grant of an account, as `channel connect` takes it. Of a platform with OAuth these are what Herald stores. */
export type NewAccount = { account: string; credentials: Record<string, string> }

export type LiveMedia = {
  mimeType: string
  sizeBytes: number
  sha256: string
  width: number | null
  height: number | null
  altText: string | null
  /** Where its bytes are. */
  url: string
}

export type LivePost = {
  account: string
  id: string
  url: string
  text: string
  media: LiveMedia[]
  /** When it went live, ISO. */
  at: string
}

/** A platform as the sandbox plays it: what the platform serves, and what only the control API may do. */
export type StandIn = {
  operations: Operation[]
  /** Whose token a call carries. */
  accountOf: (call: Call) => string | undefined
  /** Counts the call against the platform's rate limits. */
  meter: (call: Call, operation: Operation, account: string | undefined) => Metered
  /** How the platform says that it is broken. */
  broken: () => Answer
  /** How the platform asks to wait, here for one to two seconds. */
  rateLimited: () => Answer
  /** Makes the call's access unusable as far as the platform can, and answers what it says then. */
  expireAccess: (call: Call) => Answer
  tooLarge: () => Answer
  notFound: (path: string) => Answer
  /** Makes an account, or a new grant of the one that has this name. */
  createAccount: (username: string | undefined) => NewAccount
  accounts: () => { account: string; username: string }[]
  /** Ends every grant of an account. */
  revoke: (account: string) => void
  /** Oldest first. */
  live: () => LivePost[]
}

export type StandInEntry = {
  platform: Platform
  name: string
  /** Where it is mounted, and its base address below the sandbox's. */
  path: string
  open: (world: World) => StandIn
  /**
   * The environment of the channels service that leads Herald here: `X_API_URL` and the platform's other addresses below
   * the base address, the id and secret of the sandbox's app. None for a platform whose channels have addresses of their own.
   */
  settings?: (baseUrl: string) => Record<string, string>
}
