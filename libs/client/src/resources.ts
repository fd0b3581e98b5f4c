import type { CreatePostBody, EditPostBody } from '@herald/contracts/posts'
import type { z } from 'zod'

export type { Me } from '@herald/contracts/accounts'
export type { Channel } from '@herald/contracts/channels'
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

/** A file of the media library. */
export type Media = {
  id: string
  type: 'image' | 'gif' | 'video' | 'document' | 'audio'
  status: 'pending' | 'ready' | 'failed'
  fileName: string
  mimeType: string
  sizeBytes: number
  url: string | null
  thumbnailUrl: string | null
  width: number | null
  height: number | null
  durationSeconds: number | null
  altText: string | null
  /** Written by a machine in the background; null until then. */
  description: string | null
  createdAt: string
}

export type MediaQuery = {
  /** `media` is what a post can carry: images, GIFs and videos. */
  type?: 'image' | 'video' | 'document' | 'media'
  /** Words that all occur in the file name, alt text or description. */
  q?: string
  limit?: number
  cursor?: string
}

export type NewImport = { url: string; fileName?: string; altText?: string }
export type NewUpload = { fileName: string; mimeType: string; fileSize: number; altText?: string }

/** A file that waits for its bytes, and where to send them. */
export type Upload = {
  media: Media
  upload: { method: 'PUT'; url: string; headers: Record<string, string>; expiresAt: string }
  next: string
}

export type Deleted = { id: string; deleted: true }
