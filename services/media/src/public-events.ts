import { eventSubject } from '@herald/contracts/events'
import { MEDIA_EVENT_ACTIONS, MEDIA_EVENT_DATA, type MediaEventType } from '@herald/contracts/media'
import { toCloudEvent } from '@herald/event-store/cloud-event'
import type { StoredEvent } from '@herald/event-store/stream-type'
import type { OutgoingMessage } from '@herald/service/event-stream'

/** The public name of each event that others are told of. An upload that was only announced is nobody's business. */
const PUBLIC_TYPES: Record<string, MediaEventType> = {
  MediaImported: 'MediaReady',
  UploadCompleted: 'MediaReady',
  UploadFailed: 'MediaFailed',
  MediaDescribed: 'MediaDescribed',
  MediaDeleted: 'MediaDeleted',
}

/** The public form of a stored event. The contract's schema picks the fields that leave the service. */
export function toPublicEvent(stored: StoredEvent): OutgoingMessage | undefined {
  const type = PUBLIC_TYPES[stored.type]
  if (!type) return undefined
  const data = MEDIA_EVENT_DATA[type].parse({
    ...(stored.data.file as object | undefined),
    mediaId: stored.stream_id,
  })
  const subject = eventSubject('media', stored.organization_id, MEDIA_EVENT_ACTIONS[type])
  return toCloudEvent({ ...stored, type }, { source: '/herald/media', subject, data })
}
