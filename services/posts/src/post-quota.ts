import { AppError } from '@herald/contracts/errors'
import type { quota } from '@herald/contracts/quota'
import type { Client } from '@herald/contracts/rpc'
import { RiderRefused } from '@herald/event-store/errors'

export type PostQuota = Pick<Client<typeof quota>, 'reservePost' | 'releasePost'>

/**
 * Creates a post that the month's limit has room for. The room is taken before and counts once the event of the creation
 * is seen. It is given back here only when certainly nothing was written; what happens to a process in between, or to a
 * commit of unknown outcome, the quota service finds out by itself.
 */
export async function withinPostQuota<T>(
  quota: PostQuota,
  unit: { organizationId: string; postId: string },
  create: () => Promise<T>,
): Promise<T> {
  await quota.reservePost(unit)
  try {
    return await create()
  } catch (error) {
    if (isRefusal(error)) await quota.releasePost(unit).catch(() => undefined)
    throw error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof RiderRefused || (error instanceof AppError && error.status < 500)
}
