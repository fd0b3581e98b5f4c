import type { PostOptions } from '@herald/contracts/post-options'
import type { PostChannelStatus, PostSource, PostStatus } from '@herald/contracts/posts'
import type { AttachedMedia } from '@herald/contracts/media'
import type { Platform } from '@herald/contracts/platforms'

/** The tables of the posts database that are read with kysely. Times are ISO strings. */
export type PostsDatabase = { posts: PostRow; post_channels: PostChannelRow }

export type PostRow = {
  id: string
  organization_id: string
  version: number
  status: PostStatus
  content: string
  options: PostOptions
  media: AttachedMedia[]
  scheduled_at: string
  published_at: string | null
  created_at: string
  source: PostSource
}

export type PostChannelRow = {
  post_id: string
  organization_id: string
  channel_id: string
  position: number
  platform: Platform
  status: PostChannelStatus
  content: string
  platform_post_id: string | null
  url: string | null
  published_at: string | null
  error: string | null
  error_code: string | null
  retryable: boolean | null
  attempts: number
  next_attempt_at: string | null
  lateness_ms: number | null
}
