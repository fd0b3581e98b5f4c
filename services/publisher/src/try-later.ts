import type { Attempt } from './attempt.ts'
import { postpone } from './attempts.ts'
import type { Deps } from './deps.ts'
import { endRejected } from './ends.ts'
import { failed } from './outcomes.ts'

const LONGEST_DELAY_MS = 5 * 60_000
/** Those who waited for the same do not all come at the same moment. */
const HELD_SPREAD_MS = 500

export type Delay = {
  errorCode: string
  error: string
  /** The moment before which the platform does not want to be asked, in milliseconds since 1970. */
  notBefore?: number
  /** What it waits for together with others, until `notBefore`. No try has been made then. */
  heldBy?: string
  /** The platform has lost what was prepared. */
  isUnprepared?: boolean
}

/**
 * Puts off an attempt that certainly left nothing live: twice as long each time, with some chance in it, and not
 * before the platform allows. When that is past the deadline, the attempt has failed. The wait is told to the posts
 * service, where it can be seen; it is only information, so a lost message does no harm.
 */
export async function tryLater(deps: Deps, attempt: Attempt, delay: Delay): Promise<void> {
  const postponed = await postpone(deps.pool, attempt, {
    delayMs: delayMs(deps, attempt, delay),
    heldBy: delay.heldBy,
    isUnprepared: delay.isUnprepared,
  })
  if (!postponed) {
    await endRejected(deps.pool, attempt, failed(attempt, delay.errorCode, delay.error))
    return
  }
  const { errorCode, error } = delay
  await deps.posts
    .recordChannelResult({
      organizationId: attempt.organization_id,
      postId: attempt.post_id,
      channelId: attempt.channel_id,
      generation: attempt.generation,
      result: {
        outcome: 'delayed',
        errorCode,
        error,
        attempts: postponed.tries,
        nextAttemptAt: postponed.nextAttemptAt,
      },
    })
    .catch((cause: unknown) => deps.logger.warn({ cause }, 'A delay could not be told.'))
}

function delayMs(deps: Deps, attempt: Attempt, { notBefore = 0, heldBy }: Delay): number {
  const untilMs = Math.max(0, notBefore - Date.now())
  if (heldBy !== undefined) return untilMs + Math.random() * HELD_SPREAD_MS
  return Math.max(backoffMs(deps, attempt), untilMs)
}

/** How long an attempt waits by itself: longer with each try, with some chance in it. */
export function backoffMs({ timing }: Pick<Deps, 'timing'>, { tries }: Attempt): number {
  const backoff = Math.min(timing.backoffMs * 2 ** Math.min(tries, 10), LONGEST_DELAY_MS)
  return backoff * (0.75 + Math.random() / 2)
}
