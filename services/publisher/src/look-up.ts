import type { Live, LookUpOutcome } from '@herald/platforms/platform'
import type { Attempt, Outcome } from './attempt.ts'
import type { Deps } from './deps.ts'
import { openFiles } from './files.ts'
import { latenessOf } from './outcomes.ts'
import { publishInput } from './publish-input.ts'

/** Asks the platform, reading only, whether the call of an attempt made the post live. */
export async function lookUp(deps: Deps, attempt: Attempt): Promise<LookUpOutcome> {
  const { organization_id: organizationId, channel_id: channelId } = attempt
  const connector = deps.connectorOf(attempt.platform)
  if (!connector) return { cannotTell: 'This platform is not supported.' }
  try {
    const access = await deps.channels.access({ organizationId, channelId })
    const { media_ids: mediaIds } = attempt
    await using opened = await openFiles(deps.files, { organizationId, mediaIds })
    const input = publishInput(attempt, access, opened.files, deps.timing.commitTimeoutMs)
    const calledAt = attempt.may_be_live_since ?? attempt.called_at ?? attempt.created_at
    return await connector.lookUp({ ...input, step: attempt.step ?? {}, calledAt })
  } catch (error) {
    deps.logger.warn(
      { error, postId: attempt.post_id },
      'An unknown outcome could not be looked up.',
    )
    return { pending: String(error) }
  }
}

/** The end of an attempt whose call was found to have made the post live. */
export function liveAfterAll(attempt: Attempt, live: Live): Outcome {
  return {
    outcome: 'published',
    ...live,
    latenessMs:
      attempt.may_be_live_since === null
        ? latenessOf(attempt)
        : Date.parse(live.publishedAt) - Date.parse(attempt.due_at),
    attempts: attempt.tries,
  }
}
