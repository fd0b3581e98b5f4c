import type { LookUpOutcome } from '@herald/platforms/platform'
import type { Attempt } from './attempt.ts'
import { recordPublished, reject, scheduleCheck } from './attempts.ts'
import type { Deps } from './deps.ts'
import { failed, latenessOf } from './outcomes.ts'
import { openFiles } from './files.ts'
import { publishInput } from './publish.ts'

const UNCONFIRMED = 'Herald could not confirm this post. Check the account before posting it again.'

/**
 * Looks up, reading only, whether a call of unknown outcome made the post live. It is never made again. What stays
 * unknown after the last look ends as failed, with the advice to check the account.
 */
export async function reconcile(deps: Deps, attempt: Attempt): Promise<void> {
  const found = await lookUp(deps, attempt)
  if ('found' in found) {
    await recordPublished(deps.pool, attempt, {
      outcome: 'published',
      ...found.found,
      latenessMs: latenessOf(attempt),
      attempts: attempt.tries,
    })
    return
  }
  const next = deps.timing.reconcileSeconds[attempt.checks + 1]
  const isScheduled = next !== undefined && (await scheduleCheck(deps.pool, attempt, next))
  if (!isScheduled) await reject(deps.pool, attempt, failed(attempt, 'unconfirmed', UNCONFIRMED))
}

async function lookUp(deps: Deps, attempt: Attempt): Promise<LookUpOutcome> {
  const { organization_id: organizationId, channel_id: channelId } = attempt
  const connector = deps.connectorOf(attempt.platform)
  if (!connector) return { cannotTell: 'This platform is not supported.' }
  try {
    const access = await deps.channels.access({ organizationId, channelId })
    const { media_ids: mediaIds } = attempt
    await using opened = await openFiles(deps.files, { organizationId, mediaIds })
    const input = publishInput(attempt, access, opened.files, deps.timing.commitTimeoutMs)
    const calledAt = attempt.called_at ?? attempt.created_at
    return await connector.lookUp({ ...input, step: attempt.step ?? {}, calledAt })
  } catch (error) {
    deps.logger.warn(
      { error, postId: attempt.post_id },
      'An unknown outcome could not be looked up.',
    )
    return { cannotTell: String(error) }
  }
}
