import { expect, test } from 'vitest'
import pg from 'pg'
import { testDatabase } from '../src/database.ts'

let migrations = 0

async function migrate(url: string): Promise<void> {
  migrations += 1
  await query(url, 'create table things (name text)')
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

test('a database is a copy of the template, which is migrated once however many ask at once', async () => {
  const databases = await Promise.all(
    Array.from({ length: 8 }, () => testDatabase('copies', migrate)),
  )
  for (const { ownerUrl } of databases)
    expect(await query(ownerUrl, 'select * from things')).toEqual([])
  expect(migrations).toBe(1)
  expect(new Set(databases.map(({ ownerUrl }) => ownerUrl)).size).toBe(8)
  for (const database of databases) await database[Symbol.asyncDispose]()
})

test('what one test writes is not in the database of another', async () => {
  await using one = await testDatabase('copies', migrate)
  await using other = await testDatabase('copies', migrate)
  await query(one.ownerUrl, `insert into things values ('mine')`)
  expect(await query(other.ownerUrl, 'select * from things')).toEqual([])
})

test('disposing removes the database although somebody is still connected', async () => {
  const database = await testDatabase('copies', migrate)
  const client = new pg.Client({ connectionString: database.ownerUrl })
  client.on('error', () => {})
  await client.connect()
  await database[Symbol.asyncDispose]()
  await expect(query(database.ownerUrl, 'select 1')).rejects.toThrow('does not exist')
  await client.end()
})

test('a template whose migration failed is made anew', async () => {
  const failing = () => Promise.reject(new Error('no such column'))
  await expect(testDatabase('failing', failing)).rejects.toThrow('no such column')
  await using database = await testDatabase('failing', migrate)
  expect(await query(database.ownerUrl, 'select * from things')).toEqual([])
})
