import { AppError } from '@herald/contracts/errors'
import { inBatches } from '@herald/service/batches'
import type { Deps } from './deps.ts'
import { countRefusals } from './metrics.ts'
import { reservePosts } from './post-units.ts'

type Reserve = (postId: string) => Promise<AppError | undefined>

const MOST_AT_ONCE = 100
const MOST_ORGANIZATIONS = 10_000

/**
 * Reserves posts, those of an organization that come at the same moment together: a reservation must be on disk before it
 * is answered, and one after the other they would wait for the disk in line. Throws `limit_reached` when no post is left.
 */
export function reservations(
  deps: Deps,
): (unit: { organizationId: string; postId: string }) => Promise<void> {
  const organizations = new Map<string, Reserve>()
  const reserveFor = (organizationId: string): Reserve => {
    const known = organizations.get(organizationId)
    if (known) return known
    const reserve = inBatches<string, AppError | undefined>(
      (postIds) => reserveAll(deps, organizationId, postIds),
      MOST_AT_ONCE,
    )
    // Those that are forgotten while they are at work end their work all the same.
    if (organizations.size >= MOST_ORGANIZATIONS) organizations.clear()
    organizations.set(organizationId, reserve)
    return reserve
  }
  return async ({ organizationId, postId }) => {
    const refusal = await reserveFor(organizationId)(postId)
    if (refusal) throw refusal
  }
}

/** The refusal of each post; nothing for those that are reserved. */
async function reserveAll(
  { pool, limitsOf, reservationSeconds: seconds }: Deps,
  organizationId: string,
  postIds: string[],
): Promise<(AppError | undefined)[]> {
  const { postsPerMonth: limit } = await limitsOf(organizationId)
  const reserved = await reservePosts(pool, { organizationId, postIds }, { limit, seconds })
  const { granted, used, resetsAt } = reserved
  countRefusals('posts_per_month', postIds.length - granted)
  return postIds.map((_, index) =>
    index < granted
      ? undefined
      : new AppError('limit_reached', 'All posts that the plan allows this month are used.', {
          details: { limit, used, resetsAt },
        }),
  )
}
