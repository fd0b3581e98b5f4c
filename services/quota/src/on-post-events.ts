import { CONSUMERS, type DurableConsumer } from '@herald/contracts/consumers'
import { unavailable } from '@herald/contracts/errors'
import type { CloudEvent } from '@herald/contracts/events'
import { POST_EVENT_DATA } from '@herald/contracts/post-events'
import type { Pool } from '@herald/event-store/database'
import type { Consumer } from '@herald/service/consumer'
import { cancelPost, type CreatedPost, postCounter } from './post-units.ts'

/** A post was created: it counts in the month of its creation. */
export async function onPostScheduled(
  count: (post: CreatedPost) => Promise<void>,
  event: CloudEvent,
): Promise<void> {
  const { postId } = POST_EVENT_DATA.PostScheduled.parse(event.data)
  const { organizationid: organizationId, time: createdAt } = event
  await whateverHappens(count({ organizationId, postId, createdAt }))
}

/** A post was cancelled: it counts no more. */
export async function onPostCancelled(pool: Pool, event: CloudEvent): Promise<void> {
  const { postId } = POST_EVENT_DATA.PostCancelled.parse(event.data)
  await whateverHappens(cancelPost(pool, { organizationId: event.organizationid, postId }))
}

/**
 * The consumers of both, one for each because servers before NATS 2.10 take one filter only. So a cancellation may come
 * before the creation, and the statements are made for that.
 */
export function postConsumers(pool: Pool): Consumer[] {
  const count = postCounter(pool)
  return [
    consumer(CONSUMERS.quotaScheduled, (event) => onPostScheduled(count, event)),
    consumer(CONSUMERS.quotaCancelled, (event) => onPostCancelled(pool, event)),
  ]
}

function consumer(
  durable: DurableConsumer,
  handle: (event: CloudEvent) => Promise<void>,
): Consumer {
  return {
    ...durable,
    maxDeliver: 20,
    backoffMs: [250, 1_000, 5_000, 30_000],
    handle,
  }
}

/** An event that can be read is good: whatever keeps it from being handled passes, however long it takes. */
async function whateverHappens(handling: Promise<void>): Promise<void> {
  await handling.catch((error: unknown) => {
    throw unavailable(error)
  })
}
