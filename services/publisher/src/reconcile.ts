import type { Attempt } from './attempt.ts'
import { scheduleCheck } from './attempts.ts'
import type { Deps, Timing } from './deps.ts'
import { endPublished, endRejected } from './ends.ts'
import { liveAfterAll, lookUp } from './look-up.ts'
import { failed } from './outcomes.ts'

/** After the last of the planned looks. */
const AGAIN_SECONDS = 600
const UNCONFIRMED = 'Herald could not confirm this post. Check the account before posting it again.'
const RESTORED =
  'Herald was restored from a backup and could not find out whether this post went live before. Check the account before posting it again.'

/**
 * Looks up, reading only, whether a call of unknown outcome made the post live. It is never made again. What stays
 * unknown after the last look ends as failed, with the advice to check the account.
 */
export async function reconcile(deps: Deps, attempt: Attempt): Promise<void> {
  const found = await lookUp(deps, attempt)
  if ('found' in found) {
    await endPublished(deps.pool, attempt, liveAfterAll(attempt, found.found))
    return
  }
  if ('refused' in found) {
    const { errorCode, message } = found.refused
    await endRejected(deps.pool, attempt, failed(attempt, errorCode, message))
    return
  }
  const delay = nextLook(deps.timing, attempt.checks, 'pending' in found)
  const isScheduled = delay !== undefined && (await scheduleCheck(deps.pool, attempt, delay))
  const reason = attempt.may_be_live_since === null ? UNCONFIRMED : RESTORED
  if (!isScheduled) await endRejected(deps.pool, attempt, failed(attempt, 'unconfirmed', reason))
}

/**
 * When to look again, in seconds after the call; nothing when there is no use in it. A platform that is at work on the post
 * is asked until the attempt's time is over.
 */
function nextLook(
  { reconcileSeconds }: Timing,
  checks: number,
  isAtWork: boolean,
): number | undefined {
  const planned = reconcileSeconds[checks + 1]
  const beyond = checks + 2 - reconcileSeconds.length
  return planned ?? (isAtWork ? (reconcileSeconds.at(-1) ?? 0) + beyond * AGAIN_SECONDS : undefined)
}
