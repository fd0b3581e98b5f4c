import type { CommitOutcome } from '@herald/platforms/platform'
import type { Attempt } from './attempt.ts'
import type { Deps } from './deps.ts'
import { endRejected } from './ends.ts'
import type { Pass } from './gate.ts'
import { failed } from './outcomes.ts'
import { backoffMs, tryLater } from './try-later.ts'

export const REAUTH = 'The channel must be connected again before it can be posted to.'

/** What a platform loses again and again is not lost by chance. */
const MOST_TRIES_UNPREPARED = 4

/** What follows from an outcome that certainly left nothing live. */
export async function settle(
  deps: Deps,
  attempt: Attempt,
  { token, pass }: { token: string; pass: Pass },
  outcome: Exclude<CommitOutcome, { outcome: 'published' | 'unknown' }>,
): Promise<void> {
  switch (outcome.outcome) {
    case 'permanent':
      return giveUp(deps, attempt, outcome.errorCode, outcome.message)
    case 'rate_limited': {
      const { retryAt, message: error, isOfApp = false } = outcome
      // The other posts of the account would be refused as well, and asking makes it worse.
      const notBefore = retryAt ?? Date.now() + backoffMs(deps, attempt)
      pass.holdBack({ until: notBefore, error, isOfServer: isOfApp })
      return tryLater(deps, attempt, { errorCode: 'rate_limited', error, notBefore })
    }
    case 'transient':
      return tryLater(deps, attempt, { errorCode: 'unreachable', error: outcome.message })
    case 'unprepared': {
      const { message: error } = outcome
      if (attempt.tries >= MOST_TRIES_UNPREPARED)
        return giveUp(deps, attempt, 'media_missing', error)
      return tryLater(deps, attempt, { errorCode: 'unprepared', error, isUnprepared: true })
    }
    case 'reauth':
      return renewToken(deps, attempt, token, outcome.message)
  }
}

/** The platform refused the token. With a new one the attempt goes on; without one it has failed. */
async function renewToken(
  deps: Deps,
  attempt: Attempt,
  token: string,
  reason: string,
): Promise<void> {
  const { organization_id: organizationId, channel_id: channelId } = attempt
  const channel = await deps.channels
    .reportDeadToken({ organizationId, channelId, token, reason })
    .catch((error: unknown) => {
      deps.logger.warn({ error, channelId }, 'A dead token could not be reported.')
      return undefined
    })
  if (channel && channel.status !== 'active')
    return giveUp(deps, attempt, 'reauth_required', REAUTH)
  return tryLater(deps, attempt, { errorCode: 'token_refused', error: reason })
}

/** Ends an attempt that left nothing live. */
export async function giveUp(
  deps: Deps,
  attempt: Attempt,
  errorCode: string,
  error: string,
): Promise<void> {
  await endRejected(deps.pool, attempt, failed(attempt, errorCode, error))
}
