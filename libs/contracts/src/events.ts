import { z } from 'zod'
import { EventId, OrganizationId } from './ids.ts'
import { Instant } from './time.ts'

/** The JetStream stream that carries every public event. */
export const EVENTS_STREAM = 'HERALD_EVENTS'
/** The subjects of that stream. */
export const EVENTS_SUBJECTS = 'herald.events.v1.>'
/** Where a consumer puts a message that it could not handle after its last try. */
export const DEAD_LETTER_STREAM = 'HERALD_DEAD_LETTERS'
export const DEAD_LETTER_SUBJECTS = 'herald.dead.>'

/** `herald.events.v1.<entity>.<organizationId>.<action>`; `*` stands for any organization. */
export function eventSubject(entity: string, organizationId: string, action: string): string {
  return `herald.events.v1.${entity}.${organizationId}.${action}`
}

/** `herald.dead.<durable>`: where the dead letters of a consumer are. */
export function deadLetterSubject(durable: string): string {
  return `herald.dead.${durable}`
}

/**
 * A public event: CloudEvents 1.0 in structured JSON. `id` is the same at every redelivery; `sequence` is the
 * position of the event among those of its subject (a post, a channel, a key), starting at 1 and possibly
 * with gaps, because not every stored event is public.
 */
export const CloudEvent = z.object({
  specversion: z.literal('1.0').meta({ description: 'The version of CloudEvents.' }),
  id: EventId.meta({ description: 'The event. The same however often it comes.' }),
  source: z.string().meta({ description: 'The service it comes from, such as `/herald/posts`.' }),
  type: z.string().meta({ description: 'What happened, such as `PostScheduled`.' }),
  subject: z.string().meta({ description: 'The id of what it happened to.' }),
  time: Instant.meta({ description: 'When it was stored, in UTC, by the clock of the database.' }),
  datacontenttype: z.literal('application/json').meta({ description: 'The type of `data`.' }),
  dataschema: z.string().optional().meta({ description: 'Where a schema of `data` is.' }),
  organizationid: OrganizationId.meta({ description: 'The organization it belongs to.' }),
  sequence: z.int().positive().meta({
    description:
      'The position among the events of the same `subject`. It rises and may skip numbers.',
  }),
  traceparent: z
    .string()
    .optional()
    .meta({ description: 'The W3C trace context of the request that caused it.' }),
  data: z.record(z.string(), z.unknown()),
})
export type CloudEvent = z.infer<typeof CloudEvent>

/** Where a running consumer takes single events that it is asked to handle once more, and answers a `ReplayAnswer`. */
export function replaySubject(durable: string): string {
  return `herald.replay.${durable}`
}

/** What a consumer says of an event that it was asked to handle once more. */
export const ReplayAnswer = z.union([
  z.object({ handled: z.literal(true) }),
  z.object({ handled: z.literal(false), reason: z.string() }),
])
export type ReplayAnswer = z.infer<typeof ReplayAnswer>
