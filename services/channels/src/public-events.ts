import { CHANNEL_EVENT_ACTIONS, ChannelEventData } from '@herald/contracts/channels'
import { eventSubject } from '@herald/contracts/events'
import { toCloudEvent } from '@herald/event-store/cloud-event'
import type { StoredEvent } from '@herald/event-store/stream-type'
import type { OutgoingMessage } from '@herald/service/event-stream'

/** The public form of a stored channel event. An account that is connected again is connected, for others. */
export function toPublicEvent(stored: StoredEvent): OutgoingMessage | undefined {
  const type = stored.type === 'ChannelReconnected' ? 'ChannelConnected' : stored.type
  if (!isPublic(type)) return undefined
  const { platform, username } = stored.data
  const data = ChannelEventData.parse({
    channelId: stored.stream_id,
    platform,
    username,
    at: stored.at,
  })
  const subject = eventSubject('channel', stored.organization_id, CHANNEL_EVENT_ACTIONS[type])
  return toCloudEvent({ ...stored, type }, { source: '/herald/channels', subject, data })
}

function isPublic(type: string): type is keyof typeof CHANNEL_EVENT_ACTIONS {
  return type in CHANNEL_EVENT_ACTIONS
}
