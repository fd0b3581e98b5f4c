import { CONSUMERS } from '@herald/contracts/consumers'
import { unavailable } from '@herald/contracts/errors'
import type { CloudEvent } from '@herald/contracts/events'
import type { PostEventType } from '@herald/contracts/post-events'
import type { Pool } from '@herald/event-store/database'
import type { Consumer } from '@herald/service/consumer'
import { followPost } from './attachments.ts'

/** Which events begin or end a post's hold of its files. */
const HOLDS: Partial<Record<PostEventType, boolean>> = {
  PostScheduled: true,
  PostRetried: true,
  PostPublished: false,
  PostFailed: false,
  PostCancelled: false,
  PostRemoved: false,
}

/** Follows what happens to posts: a post holds its files from being scheduled, or retried, until it has ended. */
export function consumePostEvents(pool: Pool): Consumer {
  return {
    ...CONSUMERS.mediaPosts,
    maxDeliver: 20,
    backoffMs: [250, 1_000, 5_000, 30_000],
    handle: (event) => onPostEvent(pool, event),
  }
}

/** Most posts have no files from the beginning, and the event that tells so needs no statement. */
function isWithoutFiles({ type, data }: CloudEvent): boolean {
  if (type !== 'PostScheduled') return false
  const { mediaIds } = data
  return Array.isArray(mediaIds) && mediaIds.length === 0
}

/** Applies one event of a post. It may come any number of times. */
export async function onPostEvent(pool: Pool, event: CloudEvent): Promise<void> {
  const holds = new Map<string, boolean>(Object.entries(HOLDS)).get(event.type)
  if (holds === undefined || isWithoutFiles(event)) return
  try {
    const { organizationid: organizationId, subject: postId, sequence } = event
    await followPost(pool, { organizationId, postId, sequence, holds })
  } catch (error) {
    // Whatever keeps it from being written passes, however long it takes.
    throw unavailable(error)
  }
}
