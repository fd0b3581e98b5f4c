import type { Attempt } from './attempt.ts'
import { recordPublished, reject, scheduleCheck } from './attempts.ts'
import type { Deps } from './deps.ts'
import { liveAfterAll, lookUp } from './look-up.ts'
import { failed } from './outcomes.ts'

const UNCONFIRMED = 'Herald could not confirm this post. Check the account before posting it again.'

/**
 * Looks up, reading only, whether a call of unknown outcome made the post live. It is never made again. What stays
 * unknown after the last look ends as failed, with the advice to check the account.
 */
export async function reconcile(deps: Deps, attempt: Attempt): Promise<void> {
  const found = await lookUp(deps, attempt)
  if ('found' in found) {
    await recordPublished(deps.pool, attempt, liveAfterAll(attempt, found.found))
    return
  }
  if ('refused' in found) {
    const { errorCode, message } = found.refused
    await reject(deps.pool, attempt, failed(attempt, errorCode, message))
    return
  }
  const next = deps.timing.reconcileSeconds[attempt.checks + 1]
  const isScheduled = next !== undefined && (await scheduleCheck(deps.pool, attempt, next))
  if (!isScheduled) await reject(deps.pool, attempt, failed(attempt, 'unconfirmed', UNCONFIRMED))
}
