import { z } from 'zod'
import { ChannelId, EventId } from './ids.ts'
import { ListLimit, pageOf, WrittenCursor } from './paging.ts'
import { Platform } from './platforms.ts'
import { Instant } from './time.ts'

/** Who can cause an event of a post: somebody with a key, somebody in the app, or a part of Herald itself. */
export const ActorKind = z.enum(['key', 'app', 'scheduler', 'publisher', 'sweep', 'herald'])
export type ActorKind = z.infer<typeof ActorKind>

/** Who caused an event of a post. */
export const Actor = z
  .strictObject({
    kind: ActorKind.meta({
      description:
        '`key` and `app` are callers; `scheduler` starts what is due, `publisher` publishes, `sweep` ends what was given up, `herald` is any other part.',
    }),
    id: z
      .string()
      .nullable()
      .meta({ description: 'The id of the key, or the name in the app; null for Herald itself.' }),
  })
  .meta({ id: 'Actor' })
export type Actor = z.infer<typeof Actor>

const COMMON = {
  id: EventId,
  sequence: z.int().positive().meta({
    description:
      'The position among the events of the post. It rises, and skips those that the key does not see.',
  }),
  at: Instant.meta({ description: 'When it was stored, by the clock of the database.' }),
  actor: Actor,
}

const DueAt = Instant.meta({ description: 'When the post is due from then on.' })
const Channels = z
  .array(ChannelId)
  .meta({ description: 'The channels in question, as far as the key sees them.' })
const Attempts = z.int().nonnegative().meta({ description: 'How often it was tried so far.' })
const Failure = {
  platform: Platform,
  error: z.string().meta({ description: 'Why, for a person.' }),
  errorCode: z.string().meta({ description: 'Why, for a program.' }),
  attempts: Attempts,
}

const PostEvents = {
  PostScheduled: z.object({ scheduledAt: DueAt, channelIds: Channels }),
  PostEdited: z.object({}),
  PostRescheduled: z.object({ scheduledAt: DueAt }),
  PostRetried: z.object({ scheduledAt: DueAt, channelIds: Channels }),
  PublishStarted: z.object({
    scheduledAt: Instant.meta({ description: 'When it was due.' }),
    latenessMs: z.int().meta({ description: 'How much later it was taken up.' }),
    channelIds: Channels,
  }),
  PostPublished: z.object({}),
  PostFailed: z.object({}),
}

const ChannelEvents = {
  ChannelDelayed: z.object({
    ...Failure,
    nextAttemptAt: Instant.meta({ description: 'When it is tried again.' }),
  }),
  ChannelPublished: z.object({
    platform: Platform,
    platformPostId: z.string().meta({ description: 'The id the platform gave it.' }),
    url: z.string().meta({ description: 'Live URL.' }),
    publishedAt: Instant,
    attempts: Attempts,
    latenessMs: z
      .int()
      .meta({ description: 'From the due time to the first byte of the call that made it live.' }),
  }),
  ChannelFailed: z.object({
    ...Failure,
    retryable: z.boolean().meta({ description: 'Whether trying again could help.' }),
    latenessMs: z.int().nullable().meta({
      description: 'From the due time to the first byte of the last call; null without a call.',
    }),
  }),
}

/** The facts of each type of event. Those after which there is no post are not among them. */
export const POST_HISTORY_DATA: Record<string, z.ZodObject> = { ...PostEvents, ...ChannelEvents }

/**
 * One thing that happened to a post, oldest `sequence` first. Texts are in none of them, and what is of a channel is
 * there only for those who see the channel.
 */
export const PostHistoryEvent = z
  .discriminatedUnion('type', [
    ofPost('PostScheduled', PostEvents.PostScheduled),
    ofPost('PostEdited', PostEvents.PostEdited),
    ofPost('PostRescheduled', PostEvents.PostRescheduled),
    ofPost('PostRetried', PostEvents.PostRetried),
    ofPost('PublishStarted', PostEvents.PublishStarted),
    ofPost('PostPublished', PostEvents.PostPublished),
    ofPost('PostFailed', PostEvents.PostFailed),
    ofChannel('ChannelDelayed', ChannelEvents.ChannelDelayed),
    ofChannel('ChannelPublished', ChannelEvents.ChannelPublished),
    ofChannel('ChannelFailed', ChannelEvents.ChannelFailed),
  ])
  .meta({
    id: 'PostHistoryEvent',
    description: 'One thing that happened to a post. The facts in `data` depend on the `type`.',
  })
export type PostHistoryEvent = z.infer<typeof PostHistoryEvent>

export const PostHistoryPage = pageOf(PostHistoryEvent).meta({ id: 'PostHistoryPage' })

/** The query of `GET /posts/{id}/events`. */
export const ListPostEventsQuery = z.strictObject({ limit: ListLimit, cursor: WrittenCursor })

function ofPost<Type extends string, Facts extends z.ZodRawShape>(
  type: Type,
  facts: z.ZodObject<Facts>,
) {
  return z.strictObject({
    ...COMMON,
    type: z.literal(type),
    channelId: z.null().meta({ description: 'It is of the whole post.' }),
    data: facts.strict(),
  })
}

function ofChannel<Type extends string, Facts extends z.ZodRawShape>(
  type: Type,
  facts: z.ZodObject<Facts>,
) {
  return z.strictObject({
    ...COMMON,
    type: z.literal(type),
    channelId: ChannelId.meta({ description: 'The channel it is of.' }),
    data: facts.strict(),
  })
}
