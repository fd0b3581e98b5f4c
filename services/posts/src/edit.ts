import type { IfMatch } from '@herald/contracts/if-match'
import type { Caller, EditPostBody, Post } from '@herald/contracts/posts'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { requireMatch } from '@herald/service/etag'
import { requireChangeable } from './access.ts'
import type { Deps } from './deps.ts'
import { postStream } from './post-stream.ts'
import { viewOfState } from './view.ts'

export type EditInput = {
  caller: Caller
  postId: string
  body: EditPostBody
  ifMatch?: IfMatch | undefined
}

/** Edits a scheduled post's texts or time (specification, "PATCH /posts/{id}"). */
export async function editPost(
  deps: Deps,
  { caller, postId, body, ifMatch }: EditInput,
): Promise<Post> {
  const { organizationId } = caller
  const found = await requireChangeable(deps, caller, postId)
  const { data: channels } = await deps.channels.getForPosting({
    organizationId,
    channelIds: found.channels.map(({ channel_id }) => channel_id),
  })
  const now = new Date(deps.now()).toISOString()
  const command = { type: 'EditPost', changes: body, channels, now } as const
  const { state, version } = await handle(deps.store, postStream, postId, command, {
    organizationId,
    meta: metaOf(caller.actor),
    precondition: (before) =>
      requireMatch(ifMatch, () =>
        viewOfState(before.state, { id: postId, ...before }, caller.channels),
      ),
  })
  if (body.publishAt !== undefined) deps.onDue()
  return viewOfState(state, { id: postId, version }, caller.channels)
}
