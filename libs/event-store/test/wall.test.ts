import { testDatabase } from '@herald/testing/database'
import { testPostgres } from '@herald/testing/postgres'
import { describe, expect, test as base } from 'vitest'
import { type Database, openDatabase } from '../src/database.ts'
import { runMigrations } from '../src/migrate.ts'
import {
  acrossOrganizations,
  enterAllOrganizations,
  enterOrganization,
  forOrganization,
} from '../src/organization.ts'

type Tables = Record<string, never>
type Note = { id: string; organization_id: string }
type World = { own: Database<Tables>; pool: Database<Tables>['pool'] }

const A = 'org_a'
const B = 'org_b'
const NOTES = {
  '0001-notes': `
    create table notes (id text primary key, organization_id text not null, text text not null);
    insert into notes select 'note_a' || i, '${A}', 'of a' from generate_series(1, 10) i;
    insert into notes select 'note_b' || i, '${B}', 'of b' from generate_series(1, 10) i;
    create table shared (id text primary key);
  `,
}
const migrateNotes = (url: string) => runMigrations(url, NOTES)

/** Notes of two organizations, and a service with a single connection. */
const test = base.extend<{ world: World }>({
  world: async ({}, use) => {
    await using created = await testDatabase('notes', migrateNotes)
    const own = openDatabase<Tables>({ url: created.url, name: 'test', connections: 1 })
    await use({ own, pool: own.pool })
    await own.close()
  },
})

async function organizationsOf(rows: Promise<{ rows: Note[] }>): Promise<string[]> {
  return [...new Set((await rows).rows.map(({ organization_id }) => organization_id))].toSorted()
}

describe('a statement that forgets the organization', () => {
  const forgetful = 'select id, organization_id from notes'

  test('reads the rows of the organization that was entered, and no others', async ({ world }) => {
    const { pool } = world
    expect(await organizationsOf(forOrganization(pool, A).query<Note>(forgetful))).toEqual([A])
    expect(await organizationsOf(forOrganization(pool, B).query<Note>(forgetful))).toEqual([B])
    const byId = forOrganization(pool, A).query('select from notes where id = $1', ['note_b1'])
    expect((await byId).rowCount).toBe(0)
  })

  test('finds nothing when no organization was entered', async ({ world: { pool } }) => {
    expect((await pool.query(forgetful)).rowCount).toBe(0)
    await forOrganization(pool, A).query(forgetful)
    expect((await pool.query(forgetful)).rowCount).toBe(0)
    expect((await forOrganization(pool, '').query(forgetful)).rowCount).toBe(0)
  })

  test('changes and deletes the rows of the organization only', async ({ world: { pool } }) => {
    const door = forOrganization(pool, A)
    expect((await door.query(`update notes set text = 'changed'`)).rowCount).toBe(10)
    expect((await door.query('delete from notes')).rowCount).toBe(10)
    const left = acrossOrganizations(pool).query<Note>(`${forgetful} where text = 'of b'`)
    expect((await left).rowCount).toBe(10)
  })

  test.each([
    `insert into notes values ('note_new', '${B}', '')`,
    `update notes set organization_id = '${B}' where id = 'note_a1'`,
    `insert into notes values ('note_b1', '${A}', '') on conflict (id) do update set text = excluded.text`,
  ])('is refused when it writes in the name of another: %s', async (statement) => {
    await using created = await testDatabase('notes', migrateNotes)
    const { pool, close } = openDatabase<Tables>({ url: created.url, name: 'test' })
    await expect(forOrganization(pool, A).query(statement)).rejects.toMatchObject({ code: '42501' })
    await close()
  })
})

describe('the doors', () => {
  test('leak nothing: 1,000 calls of each of two organizations, interleaved on one connection', async ({
    world: { pool },
  }) => {
    const named = (organizationId: string) => ({
      name: 'all_notes',
      text: 'select id, organization_id, $1 as asked from notes',
      values: [organizationId],
    })
    const call = async (index: number) => {
      const organizationId = index % 2 === 0 ? A : B
      const door = forOrganization(pool, organizationId)
      if (index % 97 === 0) await expect(door.query('select 1 / 0')).rejects.toThrow('division')
      if (index % 89 === 0) await pool.query('select from notes')
      if (index % 83 === 0)
        expect((await acrossOrganizations(pool).query(named('all'))).rowCount).toBe(20)
      const { rows } = await door.query<Note & { asked: string }>(named(organizationId))
      const own = rows.filter((row) => row.organization_id === organizationId)
      return (
        rows.length === 10 &&
        own.length === 10 &&
        own.every(({ asked }) => asked === organizationId)
      )
    }
    const callers = Array.from({ length: 20 }, async (_, caller) => {
      const outcomes = []
      for (let index = caller; index < 2000; index += 20) outcomes.push(await call(index))
      return outcomes
    })
    expect((await Promise.all(callers)).flat()).toEqual(Array.from({ length: 2000 }, () => true))
  })

  test('answer as the driver does: rows, counts, names of columns, errors of Postgres', async ({
    world: { pool },
  }) => {
    const door = forOrganization(pool, A)
    const answer = await door.query(
      `select 7::bigint as seven, now() as at, '{"a":1}'::jsonb as json`,
    )
    expect(answer.rows).toEqual([
      { seven: 7, at: expect.stringMatching(/^\d{4}-.*Z$/), json: { a: 1 } },
    ])
    expect(answer.fields.map(({ name }) => name)).toEqual(['seven', 'at', 'json'])
    const inserted = await door.query(`insert into notes values ('note_c', $1, '')`, [A])
    expect([inserted.rowCount, inserted.rows]).toEqual([1, []])
    expect((await door.query('select from notes where false')).rows).toEqual([])
    await expect(door.query('select nonsense')).rejects.toMatchObject({ code: '42703' })
  })

  test('prepare a named statement once, and again when it could not be prepared', async ({
    world: { pool },
  }) => {
    const door = forOrganization(pool, A)
    const early = { name: 'early', text: 'select id from later', values: [] }
    await expect(door.query(early)).rejects.toMatchObject({ code: '42P01' })
    await expect(door.query(early)).rejects.toMatchObject({ code: '42P01' })
    await door.query('create temporary table later as select 1 as id')
    for (let round = 0; round < 3; round++) expect((await door.query(early)).rowCount).toBe(1)
    const { rows } = await pool.query(`select from pg_prepared_statements where name = 'early'`)
    expect(rows.length).toBe(1)
  })

  test('give up a connection when the driver refuses a statement after the entering', async ({
    world: { pool },
  }) => {
    const door = forOrganization(pool, A)
    await door.query({ name: 'same', text: 'select 1', values: [] })
    const other = { name: 'same', text: 'select 2', values: [] }
    await expect(door.query(other)).rejects.toThrow('must be unique')
    expect((await pool.query('select from notes')).rowCount).toBe(0)
    expect((await door.query('select from notes')).rowCount).toBe(10)
  })

  test('end with the transaction that entered', async ({ world: { pool } }) => {
    const client = await pool.connect()
    const count = async () => (await client.query('select from notes')).rowCount
    for (const end of ['commit', 'rollback']) {
      await client.query('begin')
      await enterOrganization(client, A)
      expect(await count()).toBe(10)
      await client.query(end)
      expect(await count()).toBe(0)
      await client.query('begin')
      await enterAllOrganizations(client)
      expect(await count()).toBe(20)
      await client.query(end)
      expect(await count()).toBe(0)
    }
    client.release()
  })

  test('a pool that is for all organizations sees all', async () => {
    await using created = await testDatabase('notes', migrateNotes)
    const { pool, close } = openDatabase<Tables>({
      url: created.url,
      name: 'test',
      acrossOrganizations: true,
    })
    expect((await pool.query('select from notes')).rowCount).toBe(20)
    await close()
  })
})

describe('raising the wall', () => {
  test('a table that comes later stands behind it, and what it cannot protect is left alone', async () => {
    await using created = await testDatabase('notes', migrateNotes)
    await runMigrations(created.ownerUrl, NOTES, {
      '0002-later': `
        create table later (organization_id text);
        insert into later select organization_id from notes;`,
    })
    const { pool, close } = openDatabase<Tables>({ url: created.url, name: 'test' })
    const later = forOrganization(pool, A).query<Note>('select organization_id from later')
    expect(await organizationsOf(later)).toEqual([A])
    expect((await pool.query('select from shared')).rowCount).toBe(0)
    await expect(pool.query('select from migrations')).rejects.toMatchObject({ code: '42501' })
    await expect(pool.query('create table mine ()')).rejects.toMatchObject({ code: '42501' })
    await close()
  })

  test('needs no superuser, and a migration of a plain owner still changes rows of everybody', async () => {
    await using server = await testPostgres()
    const admin = openDatabase<Tables>({ url: server.url, name: 'admin' })
    await admin.pool.query('create role plain login createrole')
    for (const name of ['one', 'other'])
      await admin.pool.query(`create database ${name} owner plain`)
    await admin.close()
    const urlOf = (user: string, database: string) =>
      server.url.replace('postgres@', `${user}@`).replace(/postgres$/, database)
    // Both databases want to make the roles of the server at the same moment.
    await Promise.all(['one', 'other'].map((name) => migrateNotes(urlOf('plain', name))))
    await runMigrations(urlOf('plain', 'one'), NOTES, {
      '0002-change': `update notes set text = 'changed'`,
    })
    const owner = openDatabase<Tables>({ url: urlOf('plain', 'one'), name: 'owner' })
    await owner.pool.query('create role herald_notes login in role herald_service')
    await owner.close()
    const { pool, close } = openDatabase<Tables>({ url: urlOf('herald_notes', 'one'), name: 'a' })
    const changed = `select organization_id from notes where text = 'changed'`
    expect(await organizationsOf(forOrganization(pool, A).query<Note>(changed))).toEqual([A])
    expect(await organizationsOf(acrossOrganizations(pool).query<Note>(changed))).toEqual([A, B])
    await close()
  })
})
