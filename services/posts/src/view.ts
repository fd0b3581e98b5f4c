import { AppError } from '@herald/contracts/errors'
import type { ChannelRestriction } from '@herald/contracts/channels'
import type { Post, PostChannel } from '@herald/contracts/posts'
import type { PostState } from './domain/state.ts'
import { postStream } from './post-stream.ts'
import type { PostChannelRow, PostRow } from './schema.ts'

/** A post as its rows stand, with only the channels that the caller may see. */
export function toPost(
  row: PostRow,
  channels: readonly PostChannelRow[],
  restriction: ChannelRestriction,
): Post {
  const visible = channels
    .filter(({ channel_id }) => mayUse(restriction, channel_id))
    .toSorted((one, other) => one.position - other.position)
  return {
    id: row.id,
    status: row.status,
    content: row.content,
    scheduledAt: row.scheduled_at,
    publishedAt: row.published_at,
    createdAt: row.created_at,
    source: row.source,
    channels: visible.map(toPostChannel),
    media: row.media.map(({ id, type, url }) => ({ id, type, url })),
    reddit: visible.some(({ platform }) => platform === 'REDDIT') ? toReddit(row) : null,
  }
}

/** A post as it stands after a command, without asking the database again; 404 when there is none any more. */
export function viewOfState(
  state: PostState,
  stream: { id: string; version: number },
  restriction: ChannelRestriction,
): Post {
  const rows = postStream.projection.rows(state, stream)
  const [row] = (rows.posts ?? []) as PostRow[]
  if (!row) throw new AppError('not_found', 'There is no such post.')
  return toPost(row, rows.post_channels as PostChannelRow[], restriction)
}

/** Whether a caller with this restriction sees and uses a channel. */
export function mayUse(restriction: ChannelRestriction, channelId: string): boolean {
  return restriction === 'all' || restriction.includes(channelId)
}

/** Where the post goes on Reddit and under which title; a post to a Reddit channel has both. */
function toReddit({ options }: PostRow): Post['reddit'] {
  const { subreddit, title } = options.reddit ?? {}
  return subreddit !== undefined && title !== undefined ? { subreddit, title } : null
}

function toPostChannel(row: PostChannelRow): PostChannel {
  return {
    channelId: row.channel_id,
    platform: row.platform,
    status: row.status,
    content: row.content,
    platformPostId: row.platform_post_id,
    url: row.url,
    publishedAt: row.published_at,
    error: row.error,
    errorCode: row.error_code,
    retryable: row.retryable,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    latenessMs: row.lateness_ms,
  }
}
