import type { ReadTable, Row } from '@herald/event-store/projection'
import type { StreamType } from '@herald/event-store/stream-type'
import type { PostEvent } from './domain/events.ts'
import { post, type PostCommand } from './domain/post.ts'
import { type ChannelState, exists, type ExistingPost, type PostState } from './domain/state.ts'

const POSTS: ReadTable = {
  name: 'posts',
  key: ['id'],
  stream: 'id',
  columns: [
    'id',
    'organization_id',
    'version',
    'status',
    'content',
    'options',
    'media',
    'scheduled_at',
    'published_at',
    'created_at',
    'source',
  ],
}

const POST_CHANNELS: ReadTable = {
  name: 'post_channels',
  key: ['post_id', 'channel_id'],
  stream: 'post_id',
  columns: [
    'post_id',
    'organization_id',
    'channel_id',
    'position',
    'platform',
    'status',
    'content',
    'platform_post_id',
    'url',
    'published_at',
    'error',
    'error_code',
    'retryable',
    'attempts',
    'next_attempt_at',
    'lateness_ms',
  ],
}

/** The posts that wait for their time. The scheduler claims from it; see `claim-due-posts.ts`. */
const DUE: ReadTable = {
  name: 'due',
  key: ['post_id'],
  stream: 'post_id',
  columns: ['post_id', 'organization_id', 'version', 'publish_at', 'channels'],
}

/** The stream of a post: its decider and the three tables that are the fold of its events. */
export const postStream: StreamType<PostState, PostCommand, PostEvent> = {
  name: 'post',
  decider: post,
  schemaVersion: 3,
  upcasts: [
    // Posts of the first version could have no files.
    { type: 'PostScheduled', from: 1, change: (data) => ({ ...data, media: [] }) },
    // Up to the second they started once, so any number below a real one tells that they did.
    { type: 'PublishStarted', from: 2, change: (data) => ({ ...data, generation: 1 }) },
  ],
  projection: { tables: [POSTS, POST_CHANNELS, DUE], rows },
}

function rows(state: PostState, stream: { id: string; version: number }): Record<string, Row[]> {
  if (!exists(state)) return {}
  return {
    posts: [postRow(state, stream)],
    post_channels: state.channels.map((channel, position) =>
      channelRow(state, stream.id, channel, position),
    ),
    due: state.status === 'scheduled' ? [dueRow(state, stream)] : [],
  }
}

function postRow(state: ExistingPost, stream: { id: string; version: number }): Row {
  return {
    id: stream.id,
    organization_id: state.organizationId,
    version: stream.version,
    status: state.status,
    content: state.content,
    options: state.options,
    media: state.media,
    scheduled_at: state.scheduledAt,
    published_at: state.publishedAt,
    created_at: state.createdAt,
    source: state.source,
  }
}

function channelRow(
  state: ExistingPost,
  postId: string,
  channel: ChannelState,
  position: number,
): Row {
  return {
    post_id: postId,
    organization_id: state.organizationId,
    channel_id: channel.channelId,
    position,
    platform: channel.platform,
    status: channel.status,
    content: state.platformContent[channel.platform] ?? state.content,
    platform_post_id: channel.platformPostId,
    url: channel.url,
    published_at: channel.publishedAt,
    error: channel.error,
    error_code: channel.errorCode,
    retryable: channel.retryable,
    attempts: channel.attempts,
    next_attempt_at: channel.nextAttemptAt,
    lateness_ms: channel.latenessMs,
  }
}

function dueRow(state: ExistingPost, stream: { id: string; version: number }): Row {
  return {
    post_id: stream.id,
    organization_id: state.organizationId,
    version: stream.version,
    publish_at: state.scheduledAt,
    channels: state.channels
      .filter(({ status }) => status === 'draft')
      .map(({ channelId, platform }) => ({ channelId, platform })),
  }
}
