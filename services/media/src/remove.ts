import { AppError } from '@herald/contracts/errors'
import type { IfMatch } from '@herald/contracts/if-match'
import type { Caller } from '@herald/contracts/posts'
import type { PoolClient } from '@herald/event-store/database'
import { handle, loadStream } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { enterOrganization } from '@herald/event-store/organization'
import { crashPoint } from '@herald/service/crash-point'
import { requireMatch } from '@herald/service/etag'
import { holderOf } from './attachments.ts'
import type { Deps } from './deps.ts'
import { requireMedia } from './domain/media.ts'
import type { ExistingMedia } from './domain/state.ts'
import { doom } from './doomed-objects.ts'
import { mediaStream } from './media-stream.ts'
import { forgetRenditions } from './rendition-rows.ts'
import { giveBytesBack } from './storage-use.ts'
import { inTransaction } from './transaction.ts'
import { viewOfState } from './view.ts'

export type RemoveInput = { caller: Caller; mediaId: string; ifMatch?: IfMatch | undefined }

/**
 * Deletes a file for good, unless a post that is not yet published holds it (specification, "DELETE /media/{id}").
 * The file's stream is locked from the look at its attachments until the deletion is committed, and attaching locks it
 * too: of a deletion and an attachment at the same time exactly one succeeds.
 */
export async function removeMedia(
  deps: Deps,
  { caller, mediaId, ifMatch }: RemoveInput,
): Promise<{ id: string; deleted: true }> {
  const holder = await inTransaction(deps.store.pool, async (client) => {
    const { organizationId } = caller
    await enterOrganization(client, organizationId)
    await client.query(
      'select from streams where stream_id = $1 and organization_id = $2 for update',
      [mediaId, organizationId],
    )
    const found = await loadStream(client, mediaStream, mediaId, organizationId)
    const state = requireMedia(found.state)
    const viewing = { filesUrl: deps.settings.filesUrl, now: deps.now() }
    requireMatch(ifMatch, () => viewOfState(state, { id: mediaId, ...found }, viewing))
    const postId = await holderOf(client, mediaId)
    if (postId === undefined) await remove(deps, client, caller, mediaId, state)
    return postId
  })
  if (holder !== undefined) throw await attached(deps, caller, holder)
  deps.store.onAppend?.()
  deps.onDoomed()
  crashPoint('media.deleted')
  return { id: mediaId, deleted: true }
}

async function remove(
  deps: Deps,
  client: PoolClient,
  { organizationId, actor }: Caller,
  mediaId: string,
  state: ExistingMedia,
): Promise<void> {
  const command = { type: 'DeleteMedia', actor } as const
  const now = new Date(deps.now()).toISOString()
  const objects = [...objectsOf(state), ...(await forgetRenditions(client, mediaId))]
  await handle(deps.store, mediaStream, mediaId, command, {
    organizationId,
    meta: metaOf(actor),
    within: client,
    riders: [giveBytesBack(organizationId, heldBytes(state)), doom(mediaId, objects, now)],
  })
}

/** What the file counts of the organization's storage. */
function heldBytes(state: ExistingMedia): number {
  switch (state.status) {
    case 'pending':
      return state.sizeBytes
    case 'ready':
      return state.file.sizeBytes
    case 'failed':
      return 0
  }
}

/** What was uploaded goes by itself when its window has passed. */
function objectsOf(state: ExistingMedia): string[] {
  if (state.status !== 'ready') return []
  return [state.file.objectKey, state.file.thumbnailKey].filter((key) => key !== null)
}

/** Which post it is, is said to those only who may see the post. */
async function attached({ posts }: Deps, caller: Caller, postId: string): Promise<AppError> {
  const isVisible =
    caller.channels === 'all' ||
    (await posts.get({ caller, postId }).then(
      () => true,
      () => false,
    ))
  return new AppError('conflict', 'The file is attached to a post that is not published yet.', {
    ...(isVisible && { details: { postId } }),
  })
}
