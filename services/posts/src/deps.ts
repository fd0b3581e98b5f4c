import type { channels } from '@herald/contracts/channels'
import type { media } from '@herald/contracts/media'
import type { Client } from '@herald/contracts/rpc'
import type { Database } from '@herald/event-store/database'
import type { EventStore } from '@herald/event-store/handle'
import type { Logger } from '@herald/service/logger'
import type { PostQuota } from './post-quota.ts'
import type { PostsDatabase } from './schema.ts'

/** What the operations of the posts service work with. */
export type Deps = {
  database: Database<PostsDatabase>
  store: EventStore
  channels: Pick<Client<typeof channels>, 'getForPosting'>
  media: Pick<Client<typeof media>, 'attach' | 'release' | 'getForPosting'>
  quota: PostQuota
  /** The database's time in milliseconds since 1970. */
  now: () => number
  /** Tells the scheduler that a post may be due at once. */
  onDue: () => void
  /** Throws `unavailable` until it is known whether the database is as new as the events on the bus. */
  requireChecked: () => void
  logger: Logger
}
