import type { Platform } from '@herald/contracts/platforms'
import type { ChannelResult } from '@herald/contracts/posts'

/** Which attempt: a post, a channel, and the version of the `PublishStarted` that asked for it. */
export type AttemptKey = { post_id: string; channel_id: string; generation: number }

/** An attempt as a worker holds it: the row, with the fence of its claim. Times are ISO strings. */
export type Attempt = AttemptKey & {
  organization_id: string
  platform: Platform
  fence: number
  content: string
  options: Record<string, unknown>
  media_ids: string[]
  due_at: string
  deadline_at: string
  /** What is done before the call, whole when `is_prepared`. */
  step: Record<string, unknown> | null
  is_prepared: boolean
  tries: number
  checks: number
  called_at: string | null
  created_at: string
  /** After a restore: since when it may have been called in time that was lost. It is only looked up. */
  may_be_live_since: string | null
  /** The first attempt of the same post and channel, when this one repeats it. */
  first_generation: number | null
  first_created_at: string | null
}

/** How an attempt ended, as it is reported to the posts service. */
export type Outcome = Exclude<ChannelResult, { outcome: 'delayed' }>

/**
 * The same for every call for one post and channel, and for no other: platforms that take a key see a repeat by it. An
 * attempt that repeats an earlier one keeps the key, because that one may be live after all, whatever was said of it.
 */
export function idempotencyKey(attempt: Attempt): string {
  return `${attempt.post_id}.${attempt.channel_id}.${attempt.first_generation ?? attempt.generation}`
}
