import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@herald/event-store/database'
import {
  acrossOrganizations,
  forOrganization,
  type Queryable,
} from '@herald/event-store/organization'
import { testDatabase } from '@herald/testing/database'
import { describe, expect, test } from 'vitest'
import { DATABASE_OWNERS, migrateOwn } from '../src/services.ts'
import { ownerUrl } from './owner-url.ts'
import { testWorld } from './world.ts'

type Owner = (typeof DATABASE_OWNERS)[number]
type Pool = ReturnType<typeof openDatabase>['pool']

/** Tables that say nothing of an organization, and why they need not. A new one belongs here only with a reason. */
const WITHOUT_ORGANIZATION: Record<Owner, string[]> = {
  accounts: ['migrations', 'outbox', 'relay_mark'],
  channels: ['migrations', 'outbox', 'relay_mark'],
  // Keys of objects without a file, and how far the events of posts were followed.
  media: ['doomed_objects', 'followed_posts', 'migrations', 'outbox', 'relay_mark'],
  // Which database it is, and when it went back in time.
  posts: ['database_identity', 'migrations', 'outbox', 'relay_mark', 'restores'],
  publisher: ['database_identity', 'migrations', 'restores'],
  quota: ['migrations'],
}

/** A service's database with one row of each of two organizations in every table that has organizations. */
async function filledDatabase(owner: Owner) {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await testDatabase(owner, (url) => migrateOwn(owner, url)))
  const open = (url: string): Pool => {
    const { pool, close } = openDatabase({ url, name: 'test', connections: 1 })
    stack.defer(close)
    return pool
  }
  const admin = open(database.ownerUrl)
  const { rows } = await admin.query<{ name: string; has: boolean }>(
    `select c.relname as name, exists (
       select from pg_attribute where attrelid = c.oid and attname = 'organization_id') as has
     from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`,
  )
  const tables = rows.filter(({ has }) => has).map(({ name }) => name)
  for (const table of tables) for (const id of ['org_a', 'org_b']) await addRow(admin, table, id)
  const others = rows.filter(({ has }) => !has).map(({ name }) => name)
  const service = open(database.url)
  const moved = stack.move()
  return {
    admin,
    service,
    tables,
    others,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** A value of each type, and of columns that take some texts only. */
const SAMPLES: Record<string, string> = {
  jsonb: `'{}'`,
  bytea: `'\\x00'`,
  ARRAY: `'{}'`,
  boolean: 'true',
  date: 'current_date',
  'grants_under_way.token_hash': `convert_to($1, 'UTF8')`,
  'post_units.state': `'counted'`,
  'timestamp with time zone': 'now()',
}

/** Adds a row to any table: texts are the organization's id, so that keys differ. */
async function addRow(target: Queryable, table: string, organizationId: string): Promise<void> {
  const { rows } = await target.query<{ name: string; type: string }>(
    `select quote_ident(column_name) as name, data_type as type from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'
       and (column_name = 'organization_id' or is_nullable = 'NO' and column_default is null)`,
    [table],
  )
  const values = rows.map(
    ({ name, type }) =>
      SAMPLES[`${table}.${name}`] ?? SAMPLES[type] ?? (type === 'text' ? '$1' : '1'),
  )
  const names = rows.map(({ name }) => name)
  await target.query(
    `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from (select $1::text) as id`,
    [organizationId],
  )
}

async function organizationsIn(rows: Promise<{ rows: { organization_id: string }[] }>) {
  return (await rows).rows.map(({ organization_id }) => organization_id).toSorted()
}

describe.each(DATABASE_OWNERS)('the database of %s', (owner) => {
  test('has an organization in every row of every table, but for those that need none', async () => {
    await using database = await filledDatabase(owner)
    expect(database.others).toEqual(WITHOUT_ORGANIZATION[owner])
    expect(database.tables.length).toBeGreaterThan(0)
  })

  test('shows no row of any table to a query without an organization', async () => {
    await using database = await filledDatabase(owner)
    const { admin, service, tables } = database
    for (const table of tables) {
      const all = `select organization_id from ${table}`
      expect([table, await organizationsIn(admin.query(all))]).toEqual([table, ['org_a', 'org_b']])
      expect([table, await organizationsIn(service.query(all))]).toEqual([table, []])
    }
  })

  test('shows each organization its own rows of every table, and lets it write no others', async () => {
    await using database = await filledDatabase(owner)
    const { admin, service, tables } = database
    const door = forOrganization(service, 'org_a')
    for (const table of tables) {
      const all = `select organization_id from ${table}`
      expect([table, await organizationsIn(door.query(all))]).toEqual([table, ['org_a']])
      const across = acrossOrganizations(service).query<{ organization_id: string }>(all)
      expect([table, await organizationsIn(across)]).toEqual([table, ['org_a', 'org_b']])
      const deleted = door.query(`delete from ${table}`)
      if (table === 'events') await expect(deleted).rejects.toMatchObject({ code: '42501' })
      else expect([table, (await deleted).rowCount]).toEqual([table, 1])
      const left = await organizationsIn(admin.query(all))
      expect([table, left]).toEqual([table, table === 'events' ? ['org_a', 'org_b'] : ['org_b']])
      await expect(addRow(door, table, 'org_b')).rejects.toMatchObject({ code: '42501' })
    }
  })

  test('belongs to nobody that the service can be', async () => {
    await using database = await filledDatabase(owner)
    const { rows } = await database.admin.query(
      `select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
              (select count(*)::int from pg_class where relowner = r.oid) as owned,
              pg_has_role(rolname, 'herald_across', 'usage') as sees_all
       from pg_roles r where rolname in ('herald_service', 'herald_across') order by 1`,
    )
    const nothing = {
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      owned: 0,
    }
    expect(rows).toEqual([
      { rolname: 'herald_across', ...nothing, sees_all: true },
      { rolname: 'herald_service', ...nothing, sees_all: false },
    ])
    const { rows: walls } = await database.admin.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace
       and relrowsecurity and relforcerowsecurity order by 1`,
    )
    expect(walls.map(({ relname }) => relname)).toEqual(database.tables)
  })
})

test('every service of a running Herald connects as the role behind the wall', async () => {
  await using world = await testWorld()
  const { pool, close } = openDatabase({ url: ownerUrl(world.databaseUrls.posts), name: 'test' })
  const names = Object.values(world.databaseUrls).map((url) => new URL(url).pathname.slice(1))
  const { rows } = await pool.query<{ database: string; users: string[] }>(
    `select datname as database, array_agg(distinct usename)::text[] as users from pg_stat_activity
     where datname = any($1) and pid <> pg_backend_pid() group by 1`,
    [names],
  )
  await close()
  expect(rows.map(({ database }) => database).toSorted()).toEqual(names.toSorted())
  for (const { users } of rows) expect(users).toEqual(['herald_service'])
})

/** Who looks across organizations, and why. A request of an organization has no business here. */
const ACROSS = {
  'accounts/src/queries.ts': 'finds whose a key is; operators list and find everything',
  'channels/src/due.ts': 'renews tokens and asks for limits, by the clock',
  'channels/src/grants.ts':
    'finds whose browser came back by its token; forgets those that did not, by the clock',
  'channels/src/revoke.ts': 'leaves alone a grant that a channel of anybody lives on',
  'channels/src/seal-again.ts': 'seals what older keys have sealed',
  'media/src/attachments.ts': 'asks what became of posts, by the clock',
  'media/src/file-server.ts': 'serves a file to whoever has its address',
  'media/src/import-hold.ts': 'gives back what imports that died held, by the clock',
  'media/src/queries.ts': 'searches with an index, and looks at what it found itself',
  'media/src/sweep.ts': 'sweeps by the clock',
  'posts/src/claim-due-posts.ts': 'starts what is due',
  'posts/src/fingerprint.ts': 'forgets old fingerprints, by the clock',
  'posts/src/handlers.ts': 'shows operators the history of any post',
  'posts/src/lost-time.ts': 'finds out what a restore has lost',
  'posts/src/metrics.ts': 'counts the posts that are overdue',
  'posts/src/queries.ts': 'tells the media service which posts still need their files',
  'posts/src/sweep.ts': 'sweeps by the clock',
  'publisher/src/start.ts': 'publishes for all',
  'quota/src/admit.ts': 'forgets the minutes of keys at rest, by the clock',
  'quota/src/migrations/0002-organization-of-keys.ts':
    'enters the organization of each request in turn',
  'quota/src/post-units.ts':
    'finds reservations that ran out, and forgets old months, by the clock',
}

/** The ways around a door for one organization, by name or in the text of a statement. */
const LOOKS_ACROSS =
  /acrossOrganizations|enterAllOrganizations|ACROSS_ORGANIZATIONS|herald_across|herald\.organization/

test('only these look across organizations', async () => {
  const services = fileURLToPath(new URL('../../../services', import.meta.url))
  const across = []
  for await (const file of glob('*/src/**/*.ts', { cwd: services }))
    if (LOOKS_ACROSS.test(await readFile(join(services, file), 'utf8'))) across.push(file)
  expect(across.toSorted()).toEqual(Object.keys(ACROSS))
})
