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

const EventChannels = z
  .array(z.object({ channelId: ChannelId, platform: Platform }))
  .meta({ description: 'The channels that it is about, each with its platform.' })

const ScheduledAt = Instant.meta({ description: 'When the post is due, in UTC.' })

const COUNTS = {
  postId: PostId,
  published: z
    .int()
    .meta({ description: 'How many of all the channels of the post it is live on.' }),
  failed: z.int().meta({ description: 'How many of them it failed on.' }),
}

/** The data of each public post event. They carry ids, states, times, addresses and codes; never the post's text. */
export const POST_EVENT_DATA = {
  PostScheduled: z.object({
    postId: PostId,
    source: PostSource,
    scheduledAt: ScheduledAt,
    channels: EventChannels,
    /** Events from before posts could have files lack it. */
    mediaIds: z
      .array(MediaId)
      .default([])
      .meta({ description: "The post's files, in their order." }),
  }),
  PostEdited: z.object({ postId: PostId }),
  PostRescheduled: z.object({ postId: PostId, scheduledAt: ScheduledAt }),
  PostRetried: z.object({ postId: PostId, scheduledAt: ScheduledAt, channels: EventChannels }),
  PublishStarted: z.object({
    postId: PostId,
    scheduledAt: ScheduledAt,
    startedAt: Instant.meta({ description: 'When Herald took it up, in UTC.' }),
    latenessMs: z.int().meta({ description: 'Milliseconds from `scheduledAt` to `startedAt`.' }),
    channels: EventChannels,
  }),
  ChannelDelayed: z.object({
    postId: PostId,
    channelId: ChannelId,
    platform: Platform,
    attempts: z
      .int()
      .meta({ description: 'How often it was tried so far, since the latest retry.' }),
    nextAttemptAt: Instant.meta({ description: 'When it is tried again, in UTC.' }),
    errorCode: z.string().meta({ description: 'Why it waits, for a program.' }),
  }),
  ChannelPublished: z.object({
    postId: PostId,
    channelId: ChannelId,
    platform: Platform,
    platformPostId: z.string().meta({ description: 'The id that the platform gave it.' }),
    url: z.string().meta({ description: 'Where people see it.' }),
    publishedAt: Instant.meta({ description: 'When it went live, in UTC.' }),
    latenessMs: z.int().meta({
      description:
        'Milliseconds from `scheduledAt` of the post to the first byte of the call that made it live.',
    }),
  }),
  ChannelFailed: z.object({
    postId: PostId,
    channelId: ChannelId,
    platform: Platform,
    error: z.string().meta({ description: 'Why, for a person.' }),
    errorCode: z.string().meta({ description: 'Why, for a program.' }),
    retryable: z.boolean().meta({ description: 'Whether trying again could work.' }),
  }),
  PostPublished: z.object(COUNTS),
  PostFailed: z.object(COUNTS),
  PostCancelled: z.object({ postId: PostId }),
  PostRemoved: z.object({ postId: PostId }),
} satisfies Record<PostEventType, z.ZodType>
