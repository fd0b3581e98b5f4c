import { randomUUID } from 'node:crypto'
import { STREAM_DOES_NOT_EXIST } from '@event-driven-io/emmett'
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql'
import { append } from '@herald/event-store/append'
import { openDatabase } from '@herald/event-store/database'
import { forOrganization, SERVICE_ROLE } from '@herald/event-store/organization'
import { runMigrations } from '@herald/event-store/migrate'
import { EVENT_STORE_MIGRATIONS } from '@herald/event-store/migrations'
import { compare, measure, report } from './measure.ts'
import { temporaryPostgres } from './temporary-postgres.ts'

/** One event appended to a new stream, on 32 connections: Herald, a bare insert with commit, and Emmett. */
const CONNECTIONS = 32
const SECONDS = 4
const ROUNDS = 3
const data = { content: 'x'.repeat(280), channelIds: ['chan_1', 'chan_2'] }

await using postgres = await temporaryPostgres()
await runMigrations(postgres.url, EVENT_STORE_MIGRATIONS)
const service = new URL(postgres.url)
service.username = SERVICE_ROLE
const database = openDatabase<Record<string, never>>({
  url: service.href,
  name: 'bench',
  connections: CONNECTIONS,
})
const { pool } = database
const owner = openDatabase<Record<string, never>>({
  url: postgres.url,
  name: 'bench-owner',
  connections: CONNECTIONS,
})
await owner.pool.query(`alter role ${SERVICE_ROLE} login`)
await owner.pool.query('create table bare (id text primary key, data jsonb not null)')
const emmett = getPostgreSQLEventStore(postgres.url, {
  connectionOptions: { pool: owner.pool },
})
await emmett.schema.migrate()

const results = await compare(ROUNDS, [
  () =>
    measure('herald append', CONNECTIONS, SECONDS, () =>
      append(forOrganization(pool, 'org_bench'), {
        streamId: randomUUID(),
        streamType: 'bench',
        organizationId: 'org_bench',
        expectedVersion: 0,
        schemaVersion: 1,
        events: [{ type: 'PostScheduled', data }],
        meta: { actor: 'bench' },
        projection: { tables: [], rows: () => ({}) },
        rows: {},
      }),
    ),
  () =>
    measure('bare insert with commit', CONNECTIONS, SECONDS, () =>
      owner.pool.query({
        name: 'bare',
        text: 'insert into bare (id, data) values ($1, $2)',
        values: [randomUUID(), JSON.stringify(data)],
      }),
    ),
  () =>
    measure('emmett appendToStream', CONNECTIONS, SECONDS, () =>
      emmett.appendToStream(`bench-${randomUUID()}`, [{ type: 'PostScheduled', data }], {
        expectedStreamVersion: STREAM_DOES_NOT_EXIST,
      }),
    ),
])
report(results)
await emmett.close()
await Promise.all([database.close(), owner.close()])
