import type { Projection } from '../src/projection.ts'
import type { StoredEvent, StreamType } from '../src/stream-type.ts'
import { toCloudEvent } from '../src/cloud-event.ts'
import { IDEMPOTENCY_MIGRATION } from '../src/idempotency-migration.ts'
import { EVENT_STORE_MIGRATIONS } from '../src/migrations.ts'
import { runMigrations } from '../src/migrate.ts'
import { AppError } from '@herald/contracts/errors'
import { eventSubject } from '@herald/contracts/events'

/** A stream type that is as small as can be: a counter that is opened, added to and closed. */
type CounterEvent = { type: 'Opened' } | { type: 'Added'; amount: number } | { type: 'Closed' }
type CounterCommand = { type: 'Add'; amount: number } | { type: 'Close' }
type CounterState = { status: 'absent' | 'open' | 'closed'; total: number }

const projection: Projection<CounterState> = {
  tables: [
    {
      name: 'counters',
      key: ['id'],
      stream: 'id',
      columns: ['id', 'version', 'total'],
    },
  ],
  rows: (state, { id, version }) => ({
    counters: state.status === 'open' ? [{ id, version, total: state.total }] : [],
  }),
}

export const counter: StreamType<CounterState, CounterCommand, CounterEvent> = {
  name: 'counter',
  schemaVersion: 1,
  upcasts: [],
  projection,
  decider: {
    initial: { status: 'absent', total: 0 },
    decide(command, state) {
      if (state.status === 'closed') throw new AppError('conflict', 'The counter is closed.')
      const opening: CounterEvent[] = state.status === 'absent' ? [{ type: 'Opened' }] : []
      switch (command.type) {
        case 'Add':
          return [...opening, { type: 'Added', amount: command.amount }]
        case 'Close':
          return [...opening, { type: 'Closed' }]
      }
    },
    evolve(state, event) {
      switch (event.type) {
        case 'Opened':
          return { status: 'open', total: 0 }
        case 'Added':
          return { ...state, total: state.total + event.amount }
        case 'Closed':
          return { ...state, status: 'closed' }
      }
    },
  },
}

export function migrateCounters(url: string): Promise<void> {
  return runMigrations(url, EVENT_STORE_MIGRATIONS, IDEMPOTENCY_MIGRATION, {
    '0001-counters': `create table counters (id text primary key, version int not null, total int not null)`,
  })
}

export const ORGANIZATION = 'org_01jzzzzzzzzzzzzzzzzzzzzzzz'

export function counterToPublic(stored: StoredEvent) {
  return toCloudEvent(stored, {
    source: '/herald/test',
    subject: eventSubject('counter', stored.organization_id, stored.type.toLowerCase()),
    data: stored.data,
  })
}
