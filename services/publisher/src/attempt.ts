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
}

/** How an attempt ended, as it is reported to the posts service. */
export type Outcome = Exclude<ChannelResult, { outcome: 'delayed' }>

/** The same for every call of one attempt, and of no other: platforms that take a key see a repeat by it. */
export function idempotencyKey({ post_id, channel_id, generation }: AttemptKey): string {
  return `${post_id}.${channel_id}.${generation}`
}
