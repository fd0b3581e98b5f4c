import type { EventStore } from '@herald/event-store/handle'
import type { Plans } from './plans.ts'

/** What the operations of the accounts service work with. */
export type Deps = {
  store: EventStore
  plans: Plans
  /** The secret that hashes of keys are made with; it is not in the database. */
  pepper: Buffer
  /** The database's time in milliseconds since 1970. */
  now: () => number
}
