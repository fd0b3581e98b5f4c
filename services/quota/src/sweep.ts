import type { posts } from '@herald/contracts/posts'
import type { Client } from '@herald/contracts/rpc'
import type { Pool } from '@herald/event-store/database'
import type { Logger } from '@herald/service/logger'
import { type Loop, loop } from '@herald/service/supervise'
import { forgetKeysAtRest } from './admit.ts'
import {
  confirmReservations,
  expiredReservations,
  forgetOldPosts,
  releasePost,
} from './post-units.ts'

export type SweepDeps = {
  pool: Pool
  posts: Pick<Client<typeof posts>, 'filterCreated'>
}

const BATCH = 500

/** Settles the reservations that ran out, again and again. */
export function startSweep(deps: SweepDeps & { logger: Logger; everySeconds: number }): Loop {
  return loop({
    name: 'sweep',
    logger: deps.logger,
    run: async () => {
      const settled = await sweep(deps)
      return settled === BATCH ? 0 : deps.everySeconds * 1_000
    },
  })
}

/**
 * Settles reservations that ran out, and answers how many. Whether a post exists, the posts service knows: an event that
 * is late because the bus is away must not look like a crash, or the limit would open up. While posts cannot be asked
 * the reservations stay, which takes nothing from anybody, because without it no post can be created either.
 */
export async function sweep({ pool, posts }: SweepDeps): Promise<number> {
  await forgetKeysAtRest(pool)
  await forgetOldPosts(pool)
  const expired = await expiredReservations(pool, BATCH)
  if (expired.length === 0) return 0
  const { postIds } = await posts.filterCreated({ postIds: expired.map(({ postId }) => postId) })
  const created = new Set(postIds)
  await confirmReservations(
    pool,
    expired.filter(({ postId }) => created.has(postId)),
  )
  for (const unit of expired) if (!created.has(unit.postId)) await releasePost(pool, unit)
  return expired.length
}
