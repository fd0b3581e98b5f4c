import type { AttachedMedia } from '@herald/contracts/media'
import type { Platform } from '@herald/contracts/platforms'
import type { PostOptions } from '@herald/contracts/post-options'
import type { PlatformContent, PostSource } from '@herald/contracts/posts'

export type PostChannelRef = { channelId: string; platform: Platform }

/** What can happen to a post. Stored as it stands here; times are ISO 8601 in UTC. */
export type PostEvent =
  | {
      type: 'PostScheduled'
      organizationId: string
      createdAt: string
      source: PostSource
      actor: string
      content: string
      platformContent: PlatformContent
      options: PostOptions
      /** The post's files in their order, as they stood when it was created; a ready file does not change. */
      media: AttachedMedia[]
      channels: PostChannelRef[]
      scheduledAt: string
    }
  | { type: 'PostEdited'; content: string; platformContent: PlatformContent }
  | { type: 'PostRescheduled'; scheduledAt: string }
  /** Some of its channels, all of which had ended, wait again. */
  | { type: 'PostRetried'; actor: string; scheduledAt: string; channels: PostChannelRef[] }
  | {
      type: 'PublishStarted'
      /** The version of this very event, which tells its results from those of other starts. */
      generation: number
      scheduledAt: string
      startedAt: string
      latenessMs: number
      channels: PostChannelRef[]
    }
  | {
      type: 'ChannelDelayed'
      channelId: string
      platform: Platform
      attempts: number
      nextAttemptAt: string
      error: string
      errorCode: string
    }
  | {
      type: 'ChannelPublished'
      channelId: string
      platform: Platform
      platformPostId: string
      url: string
      publishedAt: string
      latenessMs: number
      attempts: number
    }
  | {
      type: 'ChannelFailed'
      channelId: string
      platform: Platform
      error: string
      errorCode: string
      retryable: boolean
      latenessMs: number | null
      attempts: number
    }
  | { type: 'PostPublished'; published: number; failed: number }
  | { type: 'PostFailed'; published: number; failed: number }
  | { type: 'PostCancelled'; actor: string }
  | { type: 'PostRemoved'; actor: string }

export type PostEventOf<Type extends PostEvent['type']> = Extract<PostEvent, { type: Type }>
