import type { AttachedMedia } from '@herald/contracts/media'
import type { Platform } from '@herald/contracts/platforms'
import type { PostOptions } from '@herald/contracts/post-options'
import type { PlatformContent, PostChannelStatus, PostSource } from '@herald/contracts/posts'
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
  /** Nobody knows what one of its calls came to. That stays so, whatever later ones come to, until it is live. */
  isUnconfirmed: boolean
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
  /** The version of its latest `PublishStarted`; 0 before the first. */
  generation: number
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
    case 'PostRetried':
      return retried(state, event)
    case 'PublishStarted':
      return {
        ...state,
        status: 'publishing',
        generation: event.generation,
        channels: state.channels.map((channel) =>
          channel.status === 'draft' ? { ...channel, status: 'publishing' } : channel,
        ),
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
        ...(event.errorCode === 'unconfirmed' && { isUnconfirmed: true }),
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
    generation: 0,
    channels: event.channels.map(({ channelId, platform }) => ({
      channelId,
      platform,
      platformPostId: null,
      url: null,
      publishedAt: null,
      isUnconfirmed: false,
      ...WAITING,
    })),
  }
}

const WAITING = {
  status: 'draft',
  error: null,
  errorCode: null,
  retryable: null,
  attempts: 0,
  nextAttemptAt: null,
  latenessMs: null,
} as const

function retried(state: ExistingPost, event: PostEventOf<'PostRetried'>): ExistingPost {
  const waiting: ExistingPost = {
    ...state,
    status: 'scheduled',
    scheduledAt: event.scheduledAt,
  }
  return event.channels.reduce(
    (post, { channelId }) => withChannel(post, channelId, WAITING),
    waiting,
  )
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
      isUnconfirmed: false,
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
