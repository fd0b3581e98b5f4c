import type { CloudEvent } from '@herald/contracts/events'
import type { OutgoingMessage } from '@herald/service/event-stream'
import type { StoredEvent } from './stream-type.ts'

/** A stored event as a CloudEvents 1.0 message in structured JSON, on the given NATS subject. */
export function toCloudEvent(
  stored: StoredEvent,
  { source, subject, data }: { source: string; subject: string; data: Record<string, unknown> },
): OutgoingMessage {
  const { traceparent } = stored.meta
  const event: CloudEvent = {
    specversion: '1.0',
    id: stored.event_id,
    source,
    type: stored.type,
    subject: stored.stream_id,
    time: stored.at,
    datacontenttype: 'application/json',
    organizationid: stored.organization_id,
    sequence: stored.version,
    ...(traceparent !== undefined && { traceparent }),
    data,
  }
  return {
    subject,
    id: stored.event_id,
    body: JSON.stringify(event),
    headers: {
      'Content-Type': 'application/cloudevents+json',
      ...(traceparent !== undefined && { traceparent }),
    },
  }
}
