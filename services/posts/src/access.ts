import type { ChannelForPosting } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import { PostId } from '@herald/contracts/ids'
import type { Caller } from '@herald/contracts/posts'
import type { Deps } from './deps.ts'
import { findPost, type PostWithChannels } from './queries.ts'
import { mayUse } from './view.ts'

/** The post, if the caller sees at least one of its channels; else it does not exist for them. */
export async function requireVisible(
  { database }: Deps,
  caller: Caller,
  postId: string,
): Promise<PostWithChannels> {
  const found = PostId.safeParse(postId).success
    ? await findPost(database.pool, caller.organizationId, postId)
    : undefined
  if (found?.channels.some(({ channel_id }) => mayUse(caller.channels, channel_id))) return found
  throw new AppError('not_found', 'There is no such post.')
}

/** The post, if the caller may change it, which takes all of its channels. */
export async function requireChangeable(
  deps: Deps,
  caller: Caller,
  postId: string,
): Promise<PostWithChannels> {
  const found = await requireVisible(deps, caller, postId)
  if (found.channels.every(({ channel_id }) => mayUse(caller.channels, channel_id))) return found
  throw new AppError(
    'forbidden_scope',
    'This key is limited to channels that do not include all channels of the post.',
  )
}

/** The channels to post to, in the order asked. One that must be authorized again is refused with 409. */
export async function requireChannels(
  deps: Deps,
  caller: Caller,
  channelIds: readonly string[],
): Promise<ChannelForPosting[]> {
  const found = await requireKnownChannels(deps, caller, channelIds)
  const stale = found.filter(({ status }) => status === 'reauth_required').map(({ id }) => id)
  if (stale.length > 0)
    throw new AppError('reauth_required', REAUTH, { details: { channelIds: stale } })
  return found
}

/** Why a channel cannot be posted to until its owner has connected it again. */
export const REAUTH = 'A channel must be connected again before it can be posted to.'

/**
 * Connected channels in the order asked. A channel that is unknown, another organization's, disconnected or outside the
 * key's limit is refused the same way (422).
 */
export async function requireKnownChannels(
  deps: Deps,
  caller: Caller,
  channelIds: readonly string[],
): Promise<ChannelForPosting[]> {
  const allowed = channelIds.filter((id) => mayUse(caller.channels, id))
  const { data } = await deps.channels.getForPosting({
    organizationId: caller.organizationId,
    channelIds: allowed,
  })
  const byId = new Map(data.map((channel) => [channel.id, channel]))
  const found = channelIds.map((id) => byId.get(id)).filter((channel) => channel !== undefined)
  if (found.length < channelIds.length) throw unknownChannels(channelIds, byId)
  return found
}

function unknownChannels(ids: readonly string[], known: Map<string, unknown>): AppError {
  const issues = ids
    .map((id, index) => ({ id, path: `channelIds.${index}` }))
    .filter(({ id }) => !known.has(id))
    .map(({ path }) => ({ path, message: 'is not one of your connected channels' }))
  return new AppError('validation_failed', 'The post names a channel that is not connected.', {
    details: { issues },
  })
}
