import type { IfMatch } from '@herald/contracts/if-match'
import type { Caller } from '@herald/contracts/posts'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { requireMatch } from '@herald/service/etag'
import { requireChangeable } from './access.ts'
import type { Deps } from './deps.ts'
import { releaseFingerprint } from './fingerprint.ts'
import { postStream } from './post-stream.ts'
import { viewOfState } from './view.ts'

export type RemoveInput = { caller: Caller; postId: string; ifMatch?: IfMatch | undefined }

/** Cancels a scheduled post, or takes one that has ended from the service (specification, "DELETE /posts/{id}"). */
export async function removePost(
  deps: Deps,
  { caller, postId, ifMatch }: RemoveInput,
): Promise<{ id: string; deleted: true }> {
  await requireChangeable(deps, caller, postId)
  const command = { type: 'RemovePost', actor: caller.actor } as const
  await handle(deps.store, postStream, postId, command, {
    organizationId: caller.organizationId,
    meta: metaOf(caller.actor),
    precondition: (before) =>
      requireMatch(ifMatch, () =>
        viewOfState(before.state, { id: postId, ...before }, caller.channels),
      ),
    riders: (events) =>
      events.some(({ type }) => type === 'PostCancelled') ? [releaseFingerprint(postId)] : [],
  })
  return { id: postId, deleted: true }
}
