import type { Attempt } from './attempt.ts'
import { recordPublished } from './attempts.ts'
import type { Deps } from './deps.ts'
import { type EarlierAttempt, findEarlier } from './earlier-attempts.ts'
import { endPublished } from './ends.ts'
import { liveAfterAll, lookUp } from './look-up.ts'
import { tryLater } from './try-later.ts'

/**
 * Before an attempt that repeats earlier ones makes its call: what came of them? When one is live after all, so is the
 * post, and this attempt ends the same way. While one is not settled, this one waits. What stayed unconfirmed is looked up
 * once more, reading only. Answers whether the attempt has been ended or put off; else its call may be made.
 */
export async function settleByEarlier(deps: Deps, attempt: Attempt): Promise<boolean> {
  if (attempt.first_generation === null) return false
  const earlier = await findEarlier(deps.pool, attempt)
  const live = earlier.find(({ state }) => state === 'published')?.outcome
  if (live) {
    await endPublished(deps.pool, attempt, live)
    return true
  }
  if (earlier.some(({ state }) => state === 'calling' || state === 'unknown')) {
    await tryLater(deps, attempt, { errorCode: 'unavailable', error: UNSETTLED })
    return true
  }
  for (const unconfirmed of earlier.filter(isUnconfirmed)) {
    const found = await lookUp(deps, unconfirmed)
    if (!('found' in found)) continue
    const outcome = liveAfterAll(unconfirmed, found.found)
    await recordPublished(deps.pool, unconfirmed, outcome)
    await endPublished(deps.pool, attempt, outcome)
    return true
  }
  return false
}

const UNSETTLED = 'Herald is still finding out what an earlier call came to.'

function isUnconfirmed({ outcome }: EarlierAttempt): boolean {
  return outcome?.outcome === 'failed' && outcome.errorCode === 'unconfirmed'
}
