import type { ChannelResult } from '@herald/contracts/posts'
import type { PostEvent } from './events.ts'
import { type ChannelState, evolve, type ExistingPost, exists } from './state.ts'

export type ReportedResult = { channelId: string; generation: number; result: ChannelResult }

/**
 * What follows from a channel's result. The same result told again follows nothing. A channel that has ended
 * stays so, with one exception: when the platform turns out to have the post after all, the truth wins, because a
 * person who reads "failed" would post again. It also ends a retry that waits or is under way. Failures and delays
 * count for the latest start only: those of an earlier one say nothing about what is being tried now.
 */
export function recordResult(
  state: ExistingPost,
  { channelId, generation, result }: ReportedResult,
): PostEvent[] {
  const channel = state.channels.find((candidate) => candidate.channelId === channelId)
  if (!channel || state.generation === 0) return []
  if (result.outcome !== 'published' && generation < state.generation) return []
  const event = eventOf(channel, result)
  return event ? withEnding(state, [event]) : []
}

/** Ends every channel that is still publishing, because nothing was heard of it within the time a post may take. */
export function abandon(state: ExistingPost): PostEvent[] {
  if (state.status !== 'publishing') return []
  const events = state.channels.filter(isOpen).map((channel): PostEvent => ({
    type: 'ChannelFailed',
    channelId: channel.channelId,
    platform: channel.platform,
    error: 'Herald could not confirm this post. Check the account before posting again.',
    errorCode: 'unconfirmed',
    retryable: false,
    latenessMs: null,
    attempts: channel.attempts,
  }))
  return withEnding(state, events)
}

function eventOf(channel: ChannelState, result: ChannelResult): PostEvent | undefined {
  const { channelId, platform } = channel
  switch (result.outcome) {
    case 'published': {
      if (channel.status === 'published') return undefined
      const { platformPostId, url, publishedAt, latenessMs, attempts } = result
      return {
        type: 'ChannelPublished',
        channelId,
        platform,
        platformPostId,
        url,
        publishedAt,
        latenessMs,
        attempts,
      }
    }
    case 'failed': {
      if (channel.status !== 'publishing') return undefined
      const { error, errorCode, retryable, latenessMs, attempts } = result
      return {
        type: 'ChannelFailed',
        channelId,
        platform,
        error,
        errorCode,
        retryable,
        latenessMs,
        attempts,
      }
    }
    case 'delayed': {
      if (channel.status !== 'publishing' || result.attempts <= channel.attempts) return undefined
      const { attempts, nextAttemptAt, error, errorCode } = result
      return {
        type: 'ChannelDelayed',
        channelId,
        platform,
        attempts,
        nextAttemptAt,
        error,
        errorCode,
      }
    }
  }
}

/** The events, and the end of the post when they end its last channel or change how it ended. */
function withEnding(state: ExistingPost, events: PostEvent[]): PostEvent[] {
  const after = events.reduce(evolve, state)
  if (!exists(after) || after.channels.some(isOpen)) return events
  const published = after.channels.filter(({ status }) => status === 'published').length
  const failed = after.channels.length - published
  const type = published > 0 ? 'PostPublished' : 'PostFailed'
  const isEndedSo = state.status === (published > 0 ? 'published' : 'failed')
  return isEndedSo ? events : [...events, { type, published, failed }]
}

function isOpen({ status }: ChannelState): boolean {
  return status === 'draft' || status === 'publishing'
}
