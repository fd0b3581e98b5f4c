import { eventually } from '@herald/testing/eventually'
import { testDatabase } from '@herald/testing/database'
import pg from 'pg'
import { expect, test as base } from 'vitest'
import { type MigrationWaits, runMigrations, runMigrationsWithin } from '../src/migrate.ts'

const NOTES = {
  '0001-notes': 'create table notes (id bigint generated always as identity, body text not null)',
}
/** As every migration of a release is: the code from before does not notice. */
const ADDITIVE = {
  '0002-colours': `
    alter table notes add column colour text;
    create table colours (name text primary key);
    create index notes_by_colour on notes (colour);`,
}
const SHORT: MigrationWaits = { lockMs: 200, tries: 2, pauseMs: 100 }
const PATIENT: MigrationWaits = { lockMs: 200, tries: 300, pauseMs: 100 }

type World = { url: string; connect: () => Promise<pg.Client> }

const test = base.extend<{ world: World }>({
  world: async ({}, use) => {
    await using database = await testDatabase('empty', () => Promise.resolve())
    await using stack = new AsyncDisposableStack()
    const url = database.ownerUrl
    await runMigrations(url, NOTES)
    const connect = async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      stack.defer(() => client.end())
      return client
    }
    await use({ url, connect })
  },
})

/** A transaction that has read the table and does not end. */
async function holdLock(client: pg.Client): Promise<void> {
  await client.query('begin')
  await client.query('select from notes limit 1')
}

async function hasColours(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query(
    `select to_regclass('colours') is not null as made,
            exists (select from migrations where name = '0002-colours') as noted`,
  )
  return rows[0]
}

test('a migration that meets a long transaction gives up after its tries, leaves nothing behind, and works when it is run again', async ({
  world,
}) => {
  const [holder, other] = [await world.connect(), await world.connect()]
  await holdLock(holder)
  await expect(runMigrationsWithin(SHORT, world.url, NOTES, ADDITIVE)).rejects.toMatchObject({
    message: 'The migration 0002-colours failed.',
    cause: { code: '55P03' },
  })
  expect(await hasColours(other)).toEqual({ made: false, noted: false })
  await other.query(`insert into notes (body) values ('written while the other one goes on')`)
  await holder.query('commit')
  await runMigrationsWithin(SHORT, world.url, NOTES, ADDITIVE)
  expect(await hasColours(other)).toEqual({ made: true, noted: true })
})

test('a migration that waits lets those behind it pass, and is done when the lock is free', async ({
  world,
}) => {
  const [holder, other] = [await world.connect(), await world.connect()]
  await holdLock(holder)
  const migrating = runMigrationsWithin(PATIENT, world.url, NOTES, ADDITIVE)
  await eventually(async () => {
    const { rows } = await other.query('select from pg_locks where not granted')
    expect(rows).not.toEqual([])
  })
  for (let count = 0; count < 10; count++)
    await other.query(`insert into notes (body) values ('from behind')`)
  expect(await hasColours(other)).toEqual({ made: false, noted: false })
  await holder.query('commit')
  await migrating
  expect(await hasColours(other)).toEqual({ made: true, noted: true })
})

test('statements of the code before go on without an error while a migration adds to their table', async ({
  world,
}) => {
  const writers = await Promise.all(Array.from({ length: 4 }, world.connect))
  const state = { isWriting: true, written: 0 }
  const writing = writers.map(async (writer) => {
    while (state.isWriting) {
      await writer.query({
        name: 'old',
        text: 'insert into notes (body) values ($1) returning id, body',
        values: ['old'],
      })
      state.written += 1
    }
  })
  await eventually(() => expect(state.written).toBeGreaterThan(20))
  await runMigrationsWithin(PATIENT, world.url, NOTES, ADDITIVE)
  const before = state.written
  await eventually(() => expect(state.written).toBeGreaterThan(before + 20))
  state.isWriting = false
  await Promise.all(writing)
  const { rows } = await writers[0]!.query<{ count: number }>('select count(*)::int from notes')
  expect(rows[0]?.count).toBe(state.written)
})
