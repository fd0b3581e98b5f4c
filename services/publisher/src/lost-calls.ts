import type { CloudEvent } from '@herald/contracts/events'
import { AppError } from '@herald/contracts/errors'
import type { Pool } from '@herald/event-store/database'
import { noteMove } from '@herald/event-store/restores'
import type { Attempt } from './attempt.ts'
import { recordPublished } from './attempts.ts'
import type { Deps } from './deps.ts'
import { liveAfterAll } from './look-up.ts'
import { tryLater } from './try-later.ts'

const UNSURE = `state = 'unknown', fence = fence + 1, lease_until = null, checks = 0, held_by = null,
  called_at = clock_timestamp(), next_attempt_at = clock_timestamp(),
  deadline_at = greatest(deadline_at, clock_timestamp() + interval '15 minutes')`

/**
 * After a restore of this database nobody knows which of its attempts were made in the time that was lost: all that wait
 * become unknown, and are looked up instead of called. Before the first attempt is taken. Answers how many.
 */
export async function doubtAfterRestore(pool: Pool): Promise<number> {
  await noteMove(pool)
  const { rowCount } = await pool.query(
    `with restored as materialized (select max(since) as since from restores where not is_handled having count(*) > 0),
     handled as (update restores set is_handled = true where not is_handled)
     update attempts set ${UNSURE}, may_be_live_since = greatest(created_at, restored.since)
     from restored where state = 'claimed'`,
  )
  return rowCount ?? 0
}

/** Since when the calls of a start may have been made in time that this database has lost, if they may. */
export async function lostSince(pool: Pool, { time }: CloudEvent): Promise<string | null> {
  const { rowCount } = await pool.query(
    'select from restores where until >= $1::timestamptz limit 1',
    [time],
  )
  return rowCount === 0 ? null : time
}

/**
 * An attempt that was there before this process may be one of a restored database, which has been called since. So the
 * posts service is asked first. Answers whether it may be called; else it has been ended, put off, or is looked up.
 */
export async function isStillToBeCalled(deps: Deps, attempt: Attempt): Promise<boolean> {
  if (attempt.created_at >= deps.startedAt) return true
  const { organization_id: organizationId, post_id: postId } = attempt
  const post = await deps.posts
    .getForPublishing({ organizationId, postId })
    .catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return undefined
      return { error }
    })
  if (post && 'error' in post) {
    deps.logger.warn({ error: post.error }, 'A post could not be asked for.')
    await tryLater(deps, attempt, { errorCode: 'unavailable', error: NO_POSTS })
    return false
  }
  const channel = post?.channels.find(({ channelId }) => channelId === attempt.channel_id)
  if (post?.generation !== attempt.generation || channel?.status !== 'publishing') {
    await setAside(deps.pool, attempt)
    return false
  }
  if (post.mayBeLiveSince === null) return true
  const unsure = { ...attempt, may_be_live_since: post.mayBeLiveSince }
  if (channel.live) await recordPublished(deps.pool, attempt, liveAfterAll(unsure, channel.live))
  else await doubt(deps.pool, unsure)
  return false
}

const NO_POSTS = 'Herald cannot get at the post right now.'

async function doubt(pool: Pool, attempt: Attempt): Promise<void> {
  await pool.query(
    `update attempts set ${UNSURE}, may_be_live_since = $5
     where post_id = $1 and channel_id = $2 and generation = $3 and fence = $4 and state = 'claimed'`,
    [
      attempt.post_id,
      attempt.channel_id,
      attempt.generation,
      attempt.fence,
      attempt.may_be_live_since,
    ],
  )
}

/** Nobody waits for this attempt any more, so there is nobody to tell. */
async function setAside(pool: Pool, attempt: Attempt): Promise<void> {
  await pool.query(
    `update attempts set state = 'rejected', lease_until = null,
       outcome = '{"outcome": "failed", "errorCode": "superseded", "error": "The post has gone on without it.",
                   "retryable": false, "attempts": 0, "latenessMs": null}'
     where post_id = $1 and channel_id = $2 and generation = $3 and fence = $4 and state = 'claimed'`,
    [attempt.post_id, attempt.channel_id, attempt.generation, attempt.fence],
  )
}
