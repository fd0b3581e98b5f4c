import type { z } from 'zod'
import { KEY_EVENT_ACTIONS, KeyEventData } from './accounts.ts'
import { CHANNEL_EVENT_ACTIONS, ChannelEventData } from './channels.ts'
import { ChannelId, KeyId, MediaId, PostId } from './ids.ts'
import { MEDIA_EVENT_ACTIONS, MEDIA_EVENT_DATA } from './media.ts'
import { POST_EVENT_ACTIONS, POST_EVENT_DATA } from './post-events.ts'

/** The type of a public event. */
export type PublicEventType =
  | keyof typeof POST_EVENT_ACTIONS
  | keyof typeof MEDIA_EVENT_ACTIONS
  | keyof typeof CHANNEL_EVENT_ACTIONS
  | keyof typeof KEY_EVENT_ACTIONS

/** All there is to know about one type of public events. */
export type PublicEvent = {
  type: PublicEventType
  /** Of its shape; an event of another version has another subject, `herald.events.v<version>.…`. */
  version: 1
  /** What it happens to, as in its subject. */
  entity: 'post' | 'media' | 'channel' | 'key'
  /** What happened, as in its subject. */
  action: string
  source: string
  /** The id of what it happens to, the `subject` of the envelope. */
  subject: z.ZodType
  data: z.ZodObject
}

const KINDS = [
  {
    entity: 'post',
    source: '/herald/posts',
    subject: PostId,
    actions: POST_EVENT_ACTIONS,
    data: POST_EVENT_DATA,
  },
  {
    entity: 'media',
    source: '/herald/media',
    subject: MediaId,
    actions: MEDIA_EVENT_ACTIONS,
    data: MEDIA_EVENT_DATA,
  },
  {
    entity: 'channel',
    source: '/herald/channels',
    subject: ChannelId,
    actions: CHANNEL_EVENT_ACTIONS,
    data: sameData(CHANNEL_EVENT_ACTIONS, ChannelEventData),
  },
  {
    entity: 'key',
    source: '/herald/accounts',
    subject: KeyId,
    actions: KEY_EVENT_ACTIONS,
    data: sameData(KEY_EVENT_ACTIONS, KeyEventData),
  },
] as const

/** Every public event that there is. Documents, schemas and tests are made from this list. */
export const PUBLIC_EVENTS: readonly PublicEvent[] = KINDS.flatMap(
  ({ entity, source, subject, actions, data }) =>
    Object.entries(actions).map(([type, action]) => ({
      type: type as PublicEventType,
      version: 1,
      entity,
      action,
      source,
      subject,
      data: (data as Record<string, z.ZodObject>)[type] as z.ZodObject,
    })),
)

function sameData(actions: object, data: z.ZodObject): Record<string, z.ZodObject> {
  return Object.fromEntries(Object.keys(actions).map((type) => [type, data]))
}
