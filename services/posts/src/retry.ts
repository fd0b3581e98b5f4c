import type { RetryPostBody } from '@herald/contracts/post-actions'
import type { Caller, Post } from '@herald/contracts/posts'
import { handle, loadStream, type Versioned } from '@herald/event-store/handle'
import type { KeepAnswer } from '@herald/event-store/idempotency'
import { metaOf } from '@herald/event-store/meta'
import { forOrganization } from '@herald/event-store/organization'
import { crashPoint } from '@herald/service/crash-point'
import { requireChangeable } from './access.ts'
import { withFilesAgain } from './attached-files.ts'
import type { Deps } from './deps.ts'
import type { PostCommand } from './domain/post.ts'
import type { PostState } from './domain/state.ts'
import { postStream } from './post-stream.ts'
import { viewOfState } from './view.ts'

export type RetryInput = { caller: Caller; postId: string; body: RetryPostBody }

/** Publishes a post again on the channels that failed, and on no other: due now, on the road that every post takes. */
export async function retryPost(
  deps: Deps,
  { caller, postId, body }: RetryInput,
  keepAnswer: KeepAnswer<Post>,
): Promise<Post> {
  const { organizationId, actor } = caller
  const found = await requireChangeable(deps, caller, postId)
  const { data: channels } = await deps.channels.getForPosting({
    organizationId,
    channelIds: found.channels.map(({ channel_id }) => channel_id),
  })
  const now = new Date(deps.now()).toISOString()
  const command: PostCommand = { type: 'RetryPost', actor, now, channels, ...body }
  const sequence = await requireRetryable(deps, caller, postId, command)
  const mediaIds = found.media.map(({ id }) => id)
  const answer = ({ state, version }: Versioned<PostState>) =>
    viewOfState(state, { id: postId, version }, caller.channels)
  const post = await withFilesAgain(
    deps,
    { organizationId, postId, mediaIds, sequence },
    async (riders) => {
      const retried = await handle(deps.store, postStream, postId, command, {
        organizationId,
        meta: metaOf(actor),
        riders: (_events, after) => [...keepAnswer(answer(after)), ...riders],
      })
      crashPoint('posts.retried')
      return answer(retried)
    },
  )
  deps.onDue()
  return post
}

/** Refuses before files are held for nothing, as the decision itself will. Answers the version the post is at. */
async function requireRetryable(
  { store }: Deps,
  { organizationId }: Caller,
  postId: string,
  command: PostCommand,
): Promise<number> {
  const door = forOrganization(store.pool, organizationId)
  const { state, version } = await loadStream(door, postStream, postId, organizationId)
  postStream.decider.decide(command, state)
  return version
}
