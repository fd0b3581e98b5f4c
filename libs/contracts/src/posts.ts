import { z } from 'zod'
import { ChannelRestriction } from './channels.ts'
import { IdempotencyKey, replayable } from './idempotency.ts'
import { ChannelId, MediaId, OrganizationId, PostId } from './ids.ts'
import { IfMatch } from './if-match.ts'
import { ListLimit, PageLimit, pageOf, WrittenCursor } from './paging.ts'
import { Platform } from './platforms.ts'
import { PostValidation, RetryPostBody } from './post-actions.ts'
import { PostHistoryPage } from './post-history.ts'
import { PostOptions } from './post-options.ts'
import { PROJECTION_OPERATIONS } from './projections.ts'
import { contract } from './rpc.ts'
import { Text } from './text.ts'
import { Instant, InstantWithOffset } from './time.ts'

/** Where a post stands (specification, "Post status"). */
export const PostStatus = z
  .enum(['scheduled', 'publishing', 'published', 'failed'])
  .meta({ id: 'PostStatus', description: 'Where a post stands.' })
export type PostStatus = z.infer<typeof PostStatus>

/** Where a post stands on one channel; `draft` is waiting for its time. */
export const PostChannelStatus = z.enum(['draft', 'publishing', 'published', 'failed']).meta({
  id: 'PostChannelStatus',
  description: 'Where a post stands on one channel; `draft` is waiting for its time.',
})
export type PostChannelStatus = z.infer<typeof PostChannelStatus>

/** `api` for posts made through the API, `app` for posts a person made. */
export const PostSource = z
  .enum(['api', 'app'])
  .meta({ description: '`api` for posts made through the API, `app` for posts a person made.' })
export type PostSource = z.infer<typeof PostSource>

/** A post on one of its channels (specification, "PostChannel"). */
export const PostChannel = z
  .strictObject({
    channelId: ChannelId,
    platform: Platform,
    status: PostChannelStatus,
    content: z.string().meta({ description: 'The text that this channel gets.' }),
    platformPostId: z.string().nullable().meta({ description: 'The id the platform gave it.' }),
    url: z.string().nullable().meta({ description: 'Live URL.' }),
    publishedAt: Instant.nullable(),
    error: z.string().nullable().meta({ description: 'Why it failed, for a person.' }),
    errorCode: z.string().nullable().meta({ description: 'Why it failed, for a program.' }),
    retryable: z.boolean().nullable().meta({ description: 'Whether trying again could help.' }),
    attempts: z
      .int()
      .nonnegative()
      .meta({ description: 'How often publishing was tried, since the latest retry.' }),
    nextAttemptAt: Instant.nullable().meta({ description: 'When it is tried again.' }),
    latenessMs: z
      .int()
      .nullable()
      .meta({ description: 'From the due time to the first byte of the call that made it live.' }),
  })
  .meta({ id: 'PostChannel' })
export type PostChannel = z.infer<typeof PostChannel>

/** A file of a post (specification, "PostMedia"). */
export const PostMedia = z
  .strictObject({ id: MediaId, type: z.string(), url: z.string() })
  .meta({ id: 'PostMedia' })
export type PostMedia = z.infer<typeof PostMedia>

/** A post with its state on every channel (specification, "Post"). */
export const Post = z
  .strictObject({
    id: PostId,
    status: PostStatus,
    content: z.string().meta({ description: 'The text of channels without a text of their own.' }),
    scheduledAt: Instant.meta({
      description:
        'When it is due: the publish time, the time it was created, or that of the latest retry.',
    }),
    publishedAt: Instant.nullable().meta({ description: 'When its first channel went live.' }),
    createdAt: Instant,
    source: PostSource,
    channels: z.array(PostChannel),
    media: z.array(PostMedia),
    reddit: z
      .strictObject({ subreddit: z.string(), title: z.string() })
      .nullable()
      .meta({ description: 'Where a post to Reddit goes, and its title.' }),
  })
  .meta({ id: 'Post' })
export type Post = z.infer<typeof Post>

/** Per-platform text: from platform to the text its channels get instead of `content`. */
export const PlatformContent = z.partialRecord(Platform, Text).meta({
  id: 'PlatformContent',
  description: 'From platform to the text its channels get instead of `content`.',
})
export type PlatformContent = z.infer<typeof PlatformContent>

/** An id as a caller writes it: printable ASCII, so that a wrong one is merely unknown. */
const WrittenId = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'is not an id')

/** The body of `POST /posts`. Unknown fields are refused. */
export const CreatePostBody = z
  .strictObject({
    content: Text.default('').meta({
      description: 'The text, for channels without a text of their own.',
    }),
    channelIds: z
      .array(WrittenId)
      .min(1)
      .max(100)
      .refine((ids) => new Set(ids).size === ids.length, 'names a channel twice')
      .meta({ description: 'Where to post: ids from `GET /channels`.', uniqueItems: true }),
    publishAt: InstantWithOffset.optional().meta({
      description: 'When to publish, with a UTC offset. Leave it out to publish now.',
    }),
    mediaIds: z
      .array(WrittenId)
      .max(100)
      .refine((ids) => new Set(ids).size === ids.length, 'names a file twice')
      .default([])
      .meta({ description: 'The media items to attach, in order.', uniqueItems: true }),
    platformContent: PlatformContent.optional(),
    ...PostOptions.shape,
  })
  .meta({ id: 'CreatePost' })
export type CreatePostBody = z.infer<typeof CreatePostBody>

/** The body of `PATCH /posts/{id}`: at least one field. */
export const EditPostBody = z
  .strictObject({
    content: Text.optional().meta({ description: 'Replaces the text.' }),
    platformContent: PlatformContent.nullable()
      .optional()
      .meta({ description: 'Replaces the whole map; null clears it.' }),
    publishAt: InstantWithOffset.optional().meta({
      description: 'Moves the post, with a UTC offset.',
    }),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .meta({ id: 'EditPost', minProperties: 1 })
export type EditPostBody = z.infer<typeof EditPostBody>

/** A date-time in a query string, where an unescaped `+` arrives as a space. */
const QueryInstant = z
  .string()
  .refine((text) => !text.includes(' '), 'contains a space: write the + of an offset as %2B')
  .pipe(InstantWithOffset)

/** The query of `GET /posts`. */
export const ListPostsQuery = z.strictObject({
  status: PostStatus.optional().meta({ description: 'Only posts with this status.' }),
  channelId: WrittenId.optional().meta({ description: 'Only posts that include this channel.' }),
  from: QueryInstant.optional().meta({ description: 'Only posts scheduled at or after this.' }),
  to: QueryInstant.optional().meta({ description: 'Only posts scheduled before this.' }),
  limit: ListLimit,
  cursor: WrittenCursor,
})

/** The answer of `DELETE /posts/{id}`. */
export const DeletedPost = z
  .strictObject({ id: PostId, deleted: z.literal(true) })
  .meta({ id: 'DeletedPost' })

export const PostPage = pageOf(Post).meta({ id: 'PostPage' })

/** What a channel's publishing came to, as the publisher reports it. */
export const ChannelResult = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('published'),
    platformPostId: z.string(),
    url: z.string(),
    publishedAt: Instant,
    latenessMs: z.int(),
    attempts: z.int(),
  }),
  z.object({
    outcome: z.literal('failed'),
    error: z.string(),
    errorCode: z.string(),
    retryable: z.boolean(),
    attempts: z.int(),
    latenessMs: z.int().nullable(),
  }),
  z.object({
    outcome: z.literal('delayed'),
    error: z.string(),
    errorCode: z.string(),
    attempts: z.int(),
    nextAttemptAt: Instant,
  }),
])
export type ChannelResult = z.infer<typeof ChannelResult>

/** A post on its platform. */
export const LivePost = z.object({
  platformPostId: z.string(),
  url: z.string(),
  publishedAt: Instant,
})
export type LivePost = z.infer<typeof LivePost>

/** Whose request it is: the organization and the channels the caller may see. Every operation carries it. */
export const Caller = z.object({
  organizationId: OrganizationId,
  channels: ChannelRestriction,
  actor: z.string().meta({ description: 'Who asked: `key:<id>` or `app:<name>`.' }),
})
export type Caller = z.infer<typeof Caller>

const OnePost = z.object({ caller: Caller, postId: z.string().max(100) })

/** One entry of a post's history: a stored event. */
export const HistoryEntry = z.object({
  version: z.int().positive(),
  type: z.string(),
  at: Instant,
  actor: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
})

/** RPC of the posts service. */
export const posts = contract({
  service: 'posts',
  operations: {
    create: {
      input: z.object({
        caller: Caller,
        source: PostSource,
        body: CreatePostBody,
        idempotencyKey: IdempotencyKey.optional(),
      }),
      output: replayable(Post),
      timeoutMs: 10_000,
    },
    get: { input: OnePost, output: Post, safe: true },
    list: {
      input: z.object({
        caller: Caller,
        status: PostStatus.optional(),
        channelId: z.string().max(100).optional(),
        from: Instant.optional(),
        to: Instant.optional(),
        limit: PageLimit,
        cursor: z.string().max(1000).optional(),
      }),
      output: PostPage,
      safe: true,
    },
    edit: {
      input: OnePost.extend({ body: EditPostBody, ifMatch: IfMatch.optional() }),
      output: Post,
      timeoutMs: 10_000,
    },
    remove: { input: OnePost.extend({ ifMatch: IfMatch.optional() }), output: DeletedPost },
    /** Checks a post as `create` does and changes nothing. Rules that are broken are answered, not refused. */
    validate: {
      input: z.object({ caller: Caller, body: CreatePostBody }),
      output: PostValidation,
      safe: true,
      timeoutMs: 10_000,
    },
    /** Publishes again on channels that failed. 409 when there is none that may be tried again. */
    retry: {
      input: OnePost.extend({ body: RetryPostBody, idempotencyKey: IdempotencyKey.optional() }),
      output: replayable(Post),
      timeoutMs: 10_000,
    },
    /** What happened to a post, oldest first, as far as the caller sees it. */
    events: {
      input: OnePost.extend({ limit: PageLimit, cursor: z.string().max(1000).optional() }),
      output: PostHistoryPage,
      safe: true,
    },
    /** Everything that happened to a post, oldest first. Without an organization: for the operator, who sees all. */
    history: {
      input: z.object({ organizationId: OrganizationId.optional(), postId: z.string().max(100) }),
      output: z.object({ data: z.array(HistoryEntry) }),
      safe: true,
    },
    /** What the publisher needs to publish a post that has started. */
    getForPublishing: {
      input: z.object({ organizationId: OrganizationId, postId: PostId }),
      output: z.object({
        postId: PostId,
        organizationId: OrganizationId,
        status: PostStatus,
        dueAt: Instant,
        /** Of which start these channels are: the version of the post's latest `PublishStarted`. */
        generation: z.int(),
        /**
         * Null, but after a restore: since when the post may have been published before, in the time that was lost. Then
         * it is only looked up.
         */
        mayBeLiveSince: Instant.nullable().default(null),
        channels: z.array(
          z.object({
            channelId: ChannelId,
            platform: Platform,
            status: PostChannelStatus,
            content: z.string(),
            options: z.record(z.string(), z.unknown()),
            /** What is known to be live from the time that was lost. */
            live: LivePost.nullable().default(null),
          }),
        ),
        mediaIds: z.array(MediaId),
      }),
      safe: true,
    },
    /** Which of these posts need their files still: those that are scheduled or being published. */
    holding: {
      input: z.object({ postIds: z.array(PostId).max(1000) }),
      output: z.object({ data: z.array(PostId) }),
      safe: true,
    },
    /** Which of these posts were created and not cancelled? For the quota service, whose reservations have run out. */
    filterCreated: {
      input: z.object({ postIds: z.array(PostId).max(500) }),
      output: z.object({ postIds: z.array(PostId) }),
      safe: true,
    },
    /**
     * Records what a channel's publishing came to. The same result may be told any number of times. `generation` is the
     * version of the `PublishStarted` that it is of; a failure of an earlier one is old news, a success never is.
     */
    recordChannelResult: {
      input: z.object({
        organizationId: OrganizationId,
        postId: PostId,
        channelId: ChannelId,
        generation: z.int(),
        result: ChannelResult,
      }),
      output: z.object({ recorded: z.boolean() }),
    },
    ...PROJECTION_OPERATIONS,
  },
})
