import type { Caller } from '@herald/contracts/posts'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { requireChangeable } from './access.ts'
import type { Deps } from './deps.ts'
import { releaseFingerprint } from './fingerprint.ts'
import { postStream } from './post-stream.ts'

export type RemoveInput = { caller: Caller; postId: string }

/** Cancels a scheduled post, or takes one that has ended from the service (specification, "DELETE /posts/{id}"). */
export async function removePost(
  deps: Deps,
  { caller, postId }: RemoveInput,
): Promise<{ id: string; deleted: true }> {
  await requireChangeable(deps, caller, postId)
  const command = { type: 'RemovePost', actor: caller.actor } as const
  await handle(deps.store, postStream, postId, command, {
    organizationId: caller.organizationId,
    meta: metaOf(caller.actor),
    riders: (events) =>
      events.some(({ type }) => type === 'PostCancelled') ? [releaseFingerprint(postId)] : [],
  })
  return { id: postId, deleted: true }
}
