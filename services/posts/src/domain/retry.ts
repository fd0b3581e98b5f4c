import type { ChannelForPosting } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import type { PostEvent } from './events.ts'
import type { ChannelState, ExistingPost } from './state.ts'

export type RetryFacts = {
  actor: string
  now: string
  /** Whether to send again to channels where the post may be live without anybody knowing it. */
  includeUnconfirmed: boolean
  /** The post's channels that are connected. */
  channels: readonly Pick<ChannelForPosting, 'id' | 'status'>[]
}

/**
 * Lets channels that failed wait again, due now; those that are live stay as they are. Left out are channels that are no
 * longer connected, and unless told otherwise those of which nobody knows whether the post is live.
 */
export function retry(
  { actor, now, includeUnconfirmed, channels }: RetryFacts,
  state: ExistingPost,
): PostEvent[] {
  if (state.status !== 'published' && state.status !== 'failed')
    throw refused('The post has not ended yet.')
  const failed = state.channels.filter(({ status }) => status === 'failed')
  if (failed.length === 0) throw refused('No channel of the post has failed.')
  const wanted = failed.filter(({ isUnconfirmed }) => includeUnconfirmed || !isUnconfirmed)
  if (wanted.length === 0) throw refused(UNCONFIRMED, failed)
  const connected = new Map(channels.map(({ id, status }) => [id, status]))
  const able = wanted.filter(({ channelId }) => connected.has(channelId))
  if (able.length === 0) throw refused('The channels that failed are not connected.', wanted)
  const stale = able.filter(({ channelId }) => connected.get(channelId) === 'reauth_required')
  if (stale.length > 0)
    throw new AppError(
      'reauth_required',
      'A channel must be connected again before it can be posted to.',
      { details: idsOf(stale) },
    )
  const refs = able.map(({ channelId, platform }) => ({ channelId, platform }))
  return [{ type: 'PostRetried', actor, scheduledAt: now, channels: refs }]
}

const UNCONFIRMED =
  'Nobody knows whether the post is live on the channels that failed. Look at the accounts, then retry with includeUnconfirmed.'

function refused(message: string, channels?: readonly ChannelState[]): AppError {
  return new AppError('conflict', message, { details: channels && idsOf(channels) })
}

function idsOf(channels: readonly ChannelState[]): { channelIds: string[] } {
  return { channelIds: channels.map(({ channelId }) => channelId) }
}
