import { z } from 'zod'
import { ChannelId, MediaId, PostId } from './ids.ts'
import { Platform } from './platforms.ts'
import { PostSource } from './posts.ts'
import { Instant } from './time.ts'

/** Public events of a post and their actions in the subject `herald.events.v1.post.<organizationId>.<action>`. */
export const POST_EVENT_ACTIONS = {
  PostScheduled: 'scheduled',
  PostEdited: 'edited',
  PostRescheduled: 'rescheduled',
  PostRetried: 'retried',
  PublishStarted: 'publish-started',
  ChannelDelayed: 'channel-delayed',
  ChannelPublished: 'channel-published',
  ChannelFailed: 'channel-failed',
  PostPublished: 'published',
  PostFailed: 'failed',
  PostCancelled: 'cancelled',
  PostRemoved: 'removed',
} as const
export type PostEventType = keyof typeof POST_EVENT_ACTIONS

const EventChannels = z.array(z.object({ channelId: ChannelId, platform: Platform }))

/** The data of each public post event. They carry ids, states, times, addresses and codes; never the post's text. */
export const POST_EVENT_DATA = {
  PostScheduled: z.object({
    postId: PostId,
    source: PostSource,
    scheduledAt: Instant,
    channels: EventChannels,
    /** Events from before posts could have files lack it. */
    mediaIds: z.array(MediaId).default([]),
  }),
  PostEdited: z.object({ postId: PostId }),
  PostRescheduled: z.object({ postId: PostId, scheduledAt: Instant }),
  PostRetried: z.object({ postId: PostId, scheduledAt: Instant, channels: EventChannels }),
  PublishStarted: z.object({
    postId: PostId,
    scheduledAt: Instant,
    startedAt: Instant,
    latenessMs: z.int(),
    channels: EventChannels,
  }),
  ChannelDelayed: z.object({
    postId: PostId,
    channelId: ChannelId,
    platform: Platform,
    attempts: z.int(),
    nextAttemptAt: Instant,
    errorCode: z.string(),
  }),
  ChannelPublished: z.object({
    postId: PostId,
    channelId: ChannelId,
    platform: Platform,
    platformPostId: z.string(),
    url: z.string(),
    publishedAt: Instant,
    latenessMs: z.int(),
  }),
  ChannelFailed: z.object({
    postId: PostId,
    channelId: ChannelId,
    platform: Platform,
    error: z.string(),
    errorCode: z.string(),
    retryable: z.boolean(),
  }),
  PostPublished: z.object({ postId: PostId, published: z.int(), failed: z.int() }),
  PostFailed: z.object({ postId: PostId, published: z.int(), failed: z.int() }),
  PostCancelled: z.object({ postId: PostId }),
  PostRemoved: z.object({ postId: PostId }),
} satisfies Record<PostEventType, z.ZodType>
