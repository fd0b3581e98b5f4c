import type { Decider } from './decider.ts'
import type { Projection } from './projection.ts'

/** An event as deciders see it: its type and, beside it, its own fields (ids, numbers, ISO strings). */
export type DomainEvent = { type: string }

/** A change of an event's stored shape: the data as schema version `from` wrote it, one version further. */
export type Upcast = {
  type: string
  from: number
  change: (data: Record<string, unknown>) => Record<string, unknown>
}

/**
 * A kind of stream: its decider, its read model, and the schema version new events are written with.
 * A stored event is never edited; when a shape changes, `schemaVersion` rises and an upcast is added.
 */
export type StreamType<State, Command, Event extends DomainEvent> = {
  name: string
  decider: Decider<State, Command, Event>
  projection: Projection<State>
  schemaVersion: number
  upcasts: readonly Upcast[]
}

/** An event as the `events` table holds it. */
export type StoredEvent = {
  stream_id: string
  version: number
  event_id: string
  organization_id: string
  type: string
  schema_version: number
  data: Record<string, unknown>
  meta: EventMeta
  /** When it was appended, by the database's clock: ISO 8601 in UTC. */
  at: string
}

/** Who caused an event, and within which request. */
export type EventMeta = { actor?: string; requestId?: string; traceparent?: string }

/** The stored event in the shape the decider of today reads, brought up to date step by step. */
export function toDomainEvent<State, Command, Event extends DomainEvent>(
  streamType: StreamType<State, Command, Event>,
  stored: Pick<StoredEvent, 'type' | 'schema_version' | 'data'>,
): Event {
  let data = stored.data
  for (let version = stored.schema_version; version < streamType.schemaVersion; version++) {
    const upcast = streamType.upcasts.find(
      ({ type, from }) => type === stored.type && from === version,
    )
    if (upcast) data = upcast.change(data)
  }
  return { ...data, type: stored.type } as unknown as Event
}
