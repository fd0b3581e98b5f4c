import type { Bus } from '@herald/service/bus'
import {
  type EventStream,
  jetStreamEvents,
  type OutgoingMessage,
} from '@herald/service/event-stream'
import type { Logger } from '@herald/service/logger'
import { followDatabaseClock } from './clock.ts'
import { type Database, openDatabase, type Pool } from './database.ts'
import type { EventStore } from './handle.ts'
import { observeOutbox } from './metrics.ts'
import { startRelay } from './relay.ts'
import type { AnyStreamType } from './rebuild.ts'
import type { StoredEvent } from './stream-type.ts'
import { watchProjections } from './watch-projections.ts'

export type OpenOptions = {
  /** The service's name. */
  name: string
  config: { DATABASE_URL: string; DATABASE_CONNECTIONS: number }
  bus: Bus
  logger: Logger
  /** The public form of a stored event, or nothing for one that stays inside the service. */
  toPublic: (event: StoredEvent) => OutgoingMessage | undefined
  /** The types of all its streams, whose read models are watched. */
  streamTypes: readonly AnyStreamType[]
  /** Done before the relay hands over the first event, and again after each outage; see `RelayOptions`. */
  beforeRelaying?: (store: { pool: Pool; stream: EventStream }) => Promise<void>
}

export type OpenEventStore<Tables> = {
  database: Database<Tables>
  store: EventStore
  /** The bus's stream of public events. */
  stream: EventStream
  /** The database's time in milliseconds since 1970. */
  now: () => number
  /** Tells the relay that there are new events; `handle` does so by itself. */
  wakeRelay: () => void
  isReady: () => Promise<boolean>
  close: () => Promise<void>
}

/** Opens a service's event store: its database, the database's clock, and the relay of its events. */
export async function openEventStore<Tables = Record<string, never>>(
  options: OpenOptions,
): Promise<OpenEventStore<Tables>> {
  const { name, config, bus, logger, toPublic, streamTypes } = options
  const database = openDatabase<Tables>({
    url: config.DATABASE_URL,
    name,
    connections: config.DATABASE_CONNECTIONS,
    onError: (error) => logger.warn({ error }, 'An idle database connection broke.'),
  })
  const clock = await followDatabaseClock(database.pool)
  const stream = jetStreamEvents(bus)
  const beforeRelaying = async () => options.beforeRelaying?.({ pool: database.pool, stream })
  const relay = startRelay({
    databaseUrl: config.DATABASE_URL,
    name,
    stream,
    toPublic,
    beforeRelaying,
    logger,
  })
  const watch = watchProjections({ pool: database.pool, streamTypes, logger })
  const stopMeasuring = observeOutbox(database.pool)
  return {
    database,
    store: { pool: database.pool, onAppend: relay.wake },
    stream,
    now: clock.now,
    wakeRelay: relay.wake,
    isReady: async () => (await database.pool.query('select 1')).rowCount === 1,
    close: async () => {
      stopMeasuring()
      await watch.close()
      await relay.close()
      clock.close()
      await database.close()
    },
  }
}
