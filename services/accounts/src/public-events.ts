import { eventSubject } from '@herald/contracts/events'
import { KEY_EVENT_ACTIONS, KeyEventData } from '@herald/contracts/accounts'
import { toCloudEvent } from '@herald/event-store/cloud-event'
import type { StoredEvent } from '@herald/event-store/stream-type'
import type { OutgoingMessage } from '@herald/service/event-stream'

/** The public form of a stored event: made and revoked keys. What happens to organizations stays inside. */
export function toPublicEvent(stored: StoredEvent): OutgoingMessage | undefined {
  if (!isPublic(stored.type)) return undefined
  const data = KeyEventData.parse({ keyId: stored.stream_id, prefix: stored.data.prefix })
  const subject = eventSubject('key', stored.organization_id, KEY_EVENT_ACTIONS[stored.type])
  return toCloudEvent(stored, { source: '/herald/accounts', subject, data })
}

function isPublic(type: string): type is keyof typeof KEY_EVENT_ACTIONS {
  return type in KEY_EVENT_ACTIONS
}
