import { newId } from '@herald/contracts/ids'
import { UNLIMITED } from '@herald/contracts/quota'
import { prepareDatabase } from '@herald/event-store/prepare-database'
import { migrateOwn } from '@herald/local/services'
import pg from 'pg'
import { compare, measure, report } from './measure.ts'
import { temporaryPostgres } from './temporary-postgres.ts'

/** The statement that admits requests, as the quota service sends it, against a statement that does nothing. */
const WORKERS = 16
const SECONDS = 3
const KEYS = 10_000

await using postgres = await temporaryPostgres()
const service = new URL(postgres.url)
service.username = 'herald_quota'
await prepareDatabase({
  ownerUrl: postgres.url,
  serviceUrl: service.href,
  migrate: (url) => migrateOwn('quota', url),
})
const pool = new pg.Pool({ connectionString: service.href, max: WORKERS })
// Connections that are closing may still hear that Postgres stops.
pool.on('error', () => undefined)

const ADMIT = `
  select a.*, set_config('synchronous_commit', 'off', true)
  from unnest($1::text[], $2::text[]) with ordinality as r (key, organization, position),
       lateral admit(r.key, r.organization, $3, ${UNLIMITED}, ${UNLIMITED}) a
  order by r.position`
const own = () => ({ key: newId('key'), organization: newId('organization') })
const admit = (asked: { key: string; organization: string }[], count = 1) =>
  pool.query({
    name: 'admit',
    text: ADMIT,
    values: [asked.map(({ key }) => key), asked.map(({ organization }) => organization), count],
  })

const hot = own()
const keys = Array.from({ length: KEYS }, own)
const any = () => keys[Math.floor(Math.random() * KEYS)] ?? hot
const sorted = (count: number) =>
  Array.from({ length: count }, any).toSorted((one, other) =>
    one.organization < other.organization ? -1 : 1,
  )
const run = (name: string, work: () => Promise<unknown>) => () =>
  measure(name, WORKERS, SECONDS, work)

report(
  await compare(3, [
    run('one key, a request a time', () => admit([hot])),
    run('one key, 16 requests a time', () => admit([hot], 16)),
    run('10,000 keys, a request a time', () => admit([any()])),
    run('10,000 keys, 16 keys a time', () => admit(sorted(16))),
    run('select 1', () => pool.query({ name: 'one', text: 'select 1' })),
  ]),
)
await pool.end()
