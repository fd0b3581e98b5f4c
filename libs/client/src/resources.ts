import type { CreateUploadBody, ImportMediaBody, MediaFilter } from '@herald/contracts/media'
import type { CreatePostBody, EditPostBody } from '@herald/contracts/posts'
import type { z } from 'zod'

export type { Me } from '@herald/contracts/accounts'
/** What can be chosen for the options of a post to one channel. */
export type { Channel, ChannelOptions } from '@herald/contracts/channels'
export type { Media, MediaUpload as Upload } from '@herald/contracts/media'
export type { PostValidation as Validation } from '@herald/contracts/post-actions'
/** One thing that happened to a post. */
export type { PostHistoryEvent as PostEvent } from '@herald/contracts/post-history'
export type { Post } from '@herald/contracts/posts'

/** What a post is created from. */
export type NewPost = z.input<typeof CreatePostBody>
/** What is changed of a scheduled post; at least one field. */
export type PostEdit = z.input<typeof EditPostBody>

/** Which posts a list has. Instants are ISO 8601 date-times with an offset. */
export type PostQuery = {
  status?: 'scheduled' | 'publishing' | 'published' | 'failed'
  channelId?: string
  from?: string
  to?: string
  /** Items per page, 1 to 100. */
  limit?: number
  cursor?: string
}

/** Which files a list has. */
export type MediaQuery = {
  /** `media` is what a post can carry: images, GIFs and videos. */
  type?: MediaFilter
  /** Words that all occur in the file name, alt text or description. */
  q?: string
  /** Items per page, 1 to 100. */
  limit?: number
  cursor?: string
}
/** A file to download into the library. */
export type NewImport = z.input<typeof ImportMediaBody>
/** A file to upload. */
export type NewUpload = z.input<typeof CreateUploadBody>

export type Deleted = { id: string; deleted: true }
