import { AppError, unavailable } from '@herald/contracts/errors'
import type { CloudEvent } from '@herald/contracts/events'
import { POST_EVENT_DATA } from '@herald/contracts/post-events'
import type { LivePost } from '@herald/contracts/posts'
import { crashPoint } from '@herald/service/crash-point'
import type { Outcome } from './attempt.ts'
import { activeTraceparent } from '@herald/telemetry/span'
import { addAttempts } from './attempts.ts'
import { lostSince } from './lost-calls.ts'
import type { Deps } from './deps.ts'

/**
 * A post started: one attempt for each of its channels. The event may come any number of times; the attempts are
 * the same ones, and a channel that has ended gets none. Of a post that has started again only the latest start counts.
 */
export async function onPublishStarted(
  deps: Pick<Deps, 'pool' | 'posts'>,
  withinMinutes: number,
  event: CloudEvent,
): Promise<void> {
  const { postId } = POST_EVENT_DATA.PublishStarted.parse(event.data)
  try {
    await addFor(deps, withinMinutes, event, postId)
  } catch (error) {
    // An event that can be read is good: whatever keeps it from being handled passes, however long it takes.
    throw unavailable(error)
  }
  crashPoint('publisher.attempts-added')
}

async function addFor(
  { pool, posts }: Pick<Deps, 'pool' | 'posts'>,
  withinMinutes: number,
  event: CloudEvent,
  postId: string,
): Promise<void> {
  const post = await posts
    .getForPublishing({ organizationId: event.organizationid, postId })
    .catch(ignoreRemoved)
  // News of an earlier start that come late: the channels are those of a later one, which has an event of its own.
  if (!post || post.generation !== event.sequence) return
  const mayBeLiveSince = post.mayBeLiveSince ?? (await lostSince(pool, event))
  const attempts = post.channels
    .filter(({ status }) => status === 'publishing')
    .map(({ channelId, platform, content, options, live }) => ({
      post_id: postId,
      channel_id: channelId,
      generation: event.sequence,
      organization_id: event.organizationid,
      platform,
      content,
      options,
      media_ids: post.mediaIds,
      due_at: post.dueAt,
      within_minutes: withinMinutes,
      may_be_live_since: mayBeLiveSince,
      outcome: live && foundLive(live, post.dueAt),
      traceparent: activeTraceparent() ?? event.traceparent,
    }))
  await addAttempts(pool, attempts)
}

function foundLive(live: LivePost, dueAt: string): Outcome {
  const latenessMs = Date.parse(live.publishedAt) - Date.parse(dueAt)
  return { outcome: 'published', ...live, latenessMs, attempts: 0 }
}

function ignoreRemoved(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined
  throw error
}
