import type { channels } from '@herald/contracts/channels'
import type { posts } from '@herald/contracts/posts'
import type { Client } from '@herald/contracts/rpc'
import type { Platform } from '@herald/contracts/platforms'
import type { Connector } from '@herald/platforms/platform'
import type { Logger } from '@herald/service/logger'
import type { FilesDeps } from './files.ts'
import type { Gate } from './gate.ts'
import type { Pool } from '@herald/event-store/database'

/** How long things may take and how often they are looked at. */
export type Timing = {
  /** Most time for the one call that makes a post live. */
  commitTimeoutMs: number
  /** Most time for the steps before it, such as uploads. */
  prepareTimeoutMs: number
  /** How long a worker holds an attempt without a sign of life; more than a call may take. */
  leaseSeconds: number
  /** When a call of unknown outcome is looked up: seconds after the call. */
  reconcileSeconds: readonly number[]
  /** First delay before a try that certainly did not happen is made again; it doubles. */
  backoffMs: number
}

/** What the publisher works with. */
export type Deps = {
  pool: Pool
  posts: Pick<Client<typeof posts>, 'getForPublishing' | 'recordChannelResult'>
  channels: Pick<Client<typeof channels>, 'access' | 'reportDeadToken'>
  connectorOf: (platform: Platform) => Connector | undefined
  files: FilesDeps
  gate: Gate
  timing: Timing
  /** When this process began, by the database's clock; ISO 8601 in UTC. */
  startedAt: string
  logger: Logger
}
