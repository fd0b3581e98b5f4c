import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { observePool } from './metrics.ts'
import { ACROSS_ORGANIZATIONS, prepareDoors } from './organization.ts'

/** The driver's pool and connection, for those who pass them on. */
export type { Pool, PoolClient } from 'pg'

export type DatabaseOptions = {
  url: string
  /** Shown in `pg_stat_activity`. */
  name: string
  /** Most connections at a time, 10 unless given. */
  connections?: number
  onError?: (error: Error) => void
  /** For a service that works for all organizations and answers no requests of one: every statement sees all rows. */
  acrossOrganizations?: boolean
}

/**
 * A service's own database. Statements go through `forOrganization` or `acrossOrganizations` of the pool; kysely writes
 * the text of those that are put together.
 */
export type Database<Tables> = {
  pool: pg.Pool
  db: Kysely<Tables>
  close: () => Promise<void>
}

/**
 * Opens a pool in which nothing waits for ever: 3 s for a connection, 5 s for a statement, 2 s for a lock.
 * `timestamptz` and `bigint` come out as ISO strings in UTC and as numbers.
 */
export function openDatabase<Tables>(options: DatabaseOptions): Database<Tables> {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.name,
    max: options.connections ?? 10,
    connectionTimeoutMillis: 3_000,
    query_timeout: 8_000,
    statement_timeout: 5_000,
    lock_timeout: 2_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    types: { getTypeParser: typeParser },
    // The pool waits for it, whatever its types say.
    onConnect: prepareDoors as (client: pg.ClientBase) => void,
    ...(options.acrossOrganizations && { options: `-c role=${ACROSS_ORGANIZATIONS}` }),
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  let isClosing = false
  pool.on('error', (error) => isClosing || options.onError?.(error))
  const stopMeasuring = observePool(pool, options.name)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    pool,
    db,
    close: () => {
      isClosing = true
      stopMeasuring()
      return db.destroy()
    },
  }
}

const INT8 = 20
const TIMESTAMPTZ = 1184

/** How values of a Postgres type are read; also for connections outside a pool. */
export function typeParser(oid: number, format?: 'text' | 'binary') {
  if (format !== 'binary') {
    if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString()
    if (oid === INT8) return Number
  }
  return pg.types.getTypeParser(oid, format ?? 'text')
}
