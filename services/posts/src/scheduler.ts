import { crashPoint } from '@herald/service/crash-point'
import { type Loop, loop } from '@herald/service/supervise'
import type { Logger } from '@herald/service/logger'
import type { Pool } from '@herald/event-store/database'
import { claimDuePosts } from './claim-due-posts.ts'

const SMALL_BATCH = 16
const FULL_BATCH = 500
const LONGEST_SLEEP_MS = 250

/**
 * Starts posts when they are due. Any number of schedulers may run; none leads. While batches are full it claims
 * again at once; else it sleeps until the next post is due, a quarter of a second at most, or until it is woken.
 */
export function startScheduler(deps: { pool: Pool; logger: Logger; onStarted: () => void }): Loop {
  let batch = SMALL_BATCH
  return loop({
    name: 'scheduler',
    logger: deps.logger,
    run: async () => {
      const { started, nextInMs } = await claimDuePosts(deps.pool, batch)
      if (started > 0) {
        crashPoint('scheduler.claimed')
        deps.onStarted()
      }
      const isFull = started === batch
      batch = isFull ? FULL_BATCH : SMALL_BATCH
      if (isFull) return 0
      return Math.max(0, Math.min(nextInMs ?? LONGEST_SLEEP_MS, LONGEST_SLEEP_MS))
    },
  })
}
