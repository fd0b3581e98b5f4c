import type { AttachedMedia } from '@herald/contracts/media'
import type { Platform } from '@herald/contracts/platforms'
import type {
  PlatformContent,
  PostChannelStatus,
  PostOptions,
  PostSource,
} from '@herald/contracts/posts'
import type { PostEvent, PostEventOf } from './events.ts'

/** A post on one channel. */
export type ChannelState = {
  channelId: string
  platform: Platform
  status: PostChannelStatus
  platformPostId: string | null
  url: string | null
  publishedAt: string | null
  error: string | null
  errorCode: string | null
  retryable: boolean | null
  attempts: number
  nextAttemptAt: string | null
  latenessMs: number | null
}

export type ExistingPost = {
  status: 'scheduled' | 'publishing' | 'published' | 'failed'
  organizationId: string
  createdAt: string
  source: PostSource
  actor: string
  content: string
  platformContent: PlatformContent
  options: PostOptions
  media: AttachedMedia[]
  scheduledAt: string
  publishedAt: string | null
  channels: ChannelState[]
}

export type PostState = { status: 'absent' } | { status: 'removed' } | ExistingPost

/** Whether there is a post to speak of. */
export function exists(state: PostState): state is ExistingPost {
  return state.status !== 'absent' && state.status !== 'removed'
}

/** Applies one event. An event on a post that does not exist changes nothing. */
export function evolve(state: PostState, event: PostEvent): PostState {
  if (event.type === 'PostScheduled') return scheduled(event)
  if (!exists(state)) return state
  switch (event.type) {
    case 'PostEdited':
      return { ...state, content: event.content, platformContent: event.platformContent }
    case 'PostRescheduled':
      return { ...state, scheduledAt: event.scheduledAt }
    case 'PublishStarted':
      return {
        ...state,
        status: 'publishing',
        channels: state.channels.map((channel) => ({ ...channel, status: 'publishing' })),
      }
    case 'ChannelDelayed':
      return withChannel(state, event.channelId, {
        error: event.error,
        errorCode: event.errorCode,
        attempts: event.attempts,
        nextAttemptAt: event.nextAttemptAt,
      })
    case 'ChannelPublished':
      return channelPublished(state, event)
    case 'ChannelFailed':
      return withChannel(state, event.channelId, {
        status: 'failed',
        error: event.error,
        errorCode: event.errorCode,
        retryable: event.retryable,
        attempts: event.attempts,
        latenessMs: event.latenessMs,
        nextAttemptAt: null,
      })
    case 'PostPublished':
      return { ...state, status: 'published' }
    case 'PostFailed':
      return { ...state, status: 'failed' }
    case 'PostCancelled':
    case 'PostRemoved':
      return { status: 'removed' }
  }
}

function scheduled(event: PostEventOf<'PostScheduled'>): ExistingPost {
  const { organizationId, createdAt, source, actor } = event
  const { content, platformContent, options, media, scheduledAt } = event
  return {
    status: 'scheduled',
    organizationId,
    createdAt,
    source,
    actor,
    content,
    platformContent,
    options,
    media,
    scheduledAt,
    publishedAt: null,
    channels: event.channels.map(({ channelId, platform }) => ({
      channelId,
      platform,
      status: 'draft',
      platformPostId: null,
      url: null,
      publishedAt: null,
      error: null,
      errorCode: null,
      retryable: null,
      attempts: 0,
      nextAttemptAt: null,
      latenessMs: null,
    })),
  }
}

function channelPublished(
  state: ExistingPost,
  event: PostEventOf<'ChannelPublished'>,
): ExistingPost {
  const { platformPostId, url, publishedAt, latenessMs, attempts } = event
  const isFirst = state.publishedAt === null || publishedAt < state.publishedAt
  return {
    ...withChannel(state, event.channelId, {
      status: 'published',
      platformPostId,
      url,
      publishedAt,
      latenessMs,
      attempts,
      error: null,
      errorCode: null,
      retryable: null,
      nextAttemptAt: null,
    }),
    publishedAt: isFirst ? publishedAt : state.publishedAt,
  }
}

function withChannel(
  state: ExistingPost,
  channelId: string,
  change: Partial<ChannelState>,
): ExistingPost {
  return {
    ...state,
    channels: state.channels.map((channel) =>
      channel.channelId === channelId ? { ...channel, ...change } : channel,
    ),
  }
}
