import { AppError } from '@herald/contracts/errors'
import type { Pool } from 'pg'
import { append, type Rider } from './append.ts'
import { VersionConflict } from './errors.ts'
import { forOrganization, type Queryable } from './organization.ts'
import {
  type DomainEvent,
  type EventMeta,
  type StoredEvent,
  type StreamType,
  toDomainEvent,
} from './stream-type.ts'

/** An event store: the pool of its database, and whom to tell that the outbox has something new. */
export type EventStore = { pool: Pool; onAppend?: () => void }

export type HandleOptions<State, Event> = {
  organizationId: string
  meta: EventMeta
  /** True for a stream whose id was made for this command: it is not looked up first. */
  isNew?: boolean
  /** Refuses, by throwing, a state that the command must not meet. Holds until the events are appended. */
  precondition?: (before: Versioned<State>) => void
  /** Statements that take effect together with the events. They ride only when there are events. */
  riders?: readonly Rider[] | ((events: Event[], after: Versioned<State>) => readonly Rider[])
  /**
   * Append on this client, which is in a transaction of the caller's that has entered the organization. Then a conflict
   * is not retried here.
   */
  within?: Queryable
}

export type Versioned<State> = { state: State; version: number }
export type Handled<State, Event> = Versioned<State> & { events: Event[] }

const ATTEMPTS = 5

/**
 * Loads a stream, lets its decider decide, and appends the events together with the read model. When another
 * writer was first, all of it is done again on the newer state. No events, no write.
 */
export async function handle<State, Command, Event extends DomainEvent>(
  store: EventStore,
  streamType: StreamType<State, Command, Event>,
  streamId: string,
  command: Command,
  options: HandleOptions<State, Event>,
): Promise<Handled<State, Event>> {
  for (let attempt = 1; ; attempt++) {
    try {
      const handled = await handleOnce(store, streamType, streamId, command, options)
      if (handled.events.length > 0) store.onAppend?.()
      return handled
    } catch (error) {
      if (!(error instanceof VersionConflict) || options.within || options.isNew) throw error
      if (attempt >= ATTEMPTS)
        throw new AppError('conflict', 'It is being changed by others right now. Try again.', {
          cause: error,
        })
    }
  }
}

async function handleOnce<State, Command, Event extends DomainEvent>(
  store: EventStore,
  streamType: StreamType<State, Command, Event>,
  streamId: string,
  command: Command,
  options: HandleOptions<State, Event>,
): Promise<Handled<State, Event>> {
  const { decider, projection } = streamType
  const target = options.within ?? forOrganization(store.pool, options.organizationId)
  const before = options.isNew
    ? { state: decider.initial, version: 0 }
    : await loadStream(target, streamType, streamId, options.organizationId)
  options.precondition?.(before)
  const events = decider.decide(command, before.state)
  if (events.length === 0) return { ...before, events }
  const state = events.reduce(decider.evolve, before.state)
  const version = before.version + events.length
  await append(target, {
    streamId,
    streamType: streamType.name,
    organizationId: options.organizationId,
    expectedVersion: before.version,
    schemaVersion: streamType.schemaVersion,
    events: events.map(({ type, ...data }) => ({ type, data })),
    meta: options.meta,
    projection: projection as never,
    rows: projection.rows(state, { id: streamId, version }),
    riders:
      typeof options.riders === 'function'
        ? options.riders(events, { state, version })
        : (options.riders ?? []),
  })
  return { state, version, events }
}

/** The state and version of a stream; the decider's initial state and 0 if it does not exist for the organization. */
export async function loadStream<State, Command, Event extends DomainEvent>(
  target: Queryable,
  streamType: StreamType<State, Command, Event>,
  streamId: string,
  organizationId: string,
): Promise<Versioned<State>> {
  const stored = await loadEvents(target, streamId, organizationId)
  const events = stored.map((event) => toDomainEvent(streamType, event))
  const { initial, evolve } = streamType.decider
  return { state: events.reduce(evolve, initial), version: stored.at(-1)?.version ?? 0 }
}

/** The stored events of a stream of an organization (of any, when none is named), oldest first. */
export async function loadEvents(
  target: Queryable,
  streamId: string,
  organizationId: string | undefined,
): Promise<StoredEvent[]> {
  const { rows } = await target.query<StoredEvent>({
    name: 'load_events',
    text: `select stream_id, version, event_id, organization_id, type, schema_version, data, meta, at
           from events where stream_id = $1 and organization_id = coalesce($2, organization_id)
           order by version`,
    values: [streamId, organizationId],
  })
  return rows
}
