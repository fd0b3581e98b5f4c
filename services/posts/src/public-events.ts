import { eventSubject } from '@herald/contracts/events'
import {
  POST_EVENT_ACTIONS,
  POST_EVENT_DATA,
  type PostEventType,
} from '@herald/contracts/post-events'
import { toCloudEvent } from '@herald/event-store/cloud-event'
import type { OutgoingMessage } from '@herald/service/event-stream'
import type { StoredEvent } from '@herald/event-store/stream-type'

/**
 * The public form of a stored post event. The contract's schema picks the fields that leave the service, so the
 * post's text stays inside.
 */
export function toPublicEvent(stored: StoredEvent): OutgoingMessage | undefined {
  if (!isPublic(stored.type)) return undefined
  const data = POST_EVENT_DATA[stored.type].parse({
    mediaIds: mediaIdsOf(stored.data.media),
    ...stored.data,
    postId: stored.stream_id,
  })
  const subject = eventSubject('post', stored.organization_id, POST_EVENT_ACTIONS[stored.type])
  return toCloudEvent(stored, { source: '/herald/posts', subject, data })
}

function isPublic(type: string): type is PostEventType {
  return Object.hasOwn(POST_EVENT_ACTIONS, type)
}

/** Events of the first version have no files. */
function mediaIdsOf(media: unknown): string[] {
  return Array.isArray(media) ? media.map(({ id }: { id: string }) => id) : []
}
