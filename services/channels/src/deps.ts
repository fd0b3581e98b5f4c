import type { Platform } from '@herald/contracts/platforms'
import type { EventStore } from '@herald/event-store/handle'
import type { Choices, PlatformDefinition } from '@herald/platforms/platform'
import type { PlatformSettings } from '@herald/platforms/settings'
import type { Logger } from '@herald/service/logger'
import type { Pool } from '@herald/event-store/database'
import type { VersionedSecrets } from '@herald/service/versioned-secrets'
import type { ShortCache } from './short-cache.ts'

/** What the operations of the channels service work with. */
export type Deps = {
  store: EventStore
  /** Connections for renewing tokens: they are held while a platform is asked, and no other call waits for them. */
  renewals: Pool
  /** The renewals of this process that are under way, so that one channel never holds two connections. */
  renewing: Map<string, Promise<string>>
  settings: PlatformSettings
  /** What can be chosen for options of posts, by channel and question. */
  choices: ShortCache<Choices[]>
  /** Something may be due now: a platform to be asked for limits. */
  onDue: () => void
  platformOf: (platform: Platform) => PlatformDefinition | undefined
  /** The keys that credentials are encrypted with. */
  credentialsKeys: VersionedSecrets
  /** Whether platforms on this machine and in private networks may be connected: for the sandbox. */
  allowPrivate: boolean
  /** The database's time in milliseconds since 1970. */
  now: () => number
  logger: Logger
}
