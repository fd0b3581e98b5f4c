import type { EventStore } from '@herald/event-store/handle'
import type { Logger } from '@herald/service/logger'
import type { VersionedSecrets } from '@herald/service/versioned-secrets'
import type { Plans } from './plans.ts'

/** What the operations of the accounts service work with. */
export type Deps = {
  store: EventStore
  plans: Plans
  /** The secrets that hashes of keys are made with; they are not in the database. */
  peppers: VersionedSecrets
  /** The database's time in milliseconds since 1970. */
  now: () => number
  logger: Logger
}
