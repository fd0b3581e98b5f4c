import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { testPostgres } from '@herald/testing/postgres'
import { runMigrations } from '@herald/event-store/migrate'
import { prepareDatabase } from '@herald/event-store/prepare-database'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

const NOTES = { '0001-notes': 'create table notes (organization_id text, body text)' }
let server: Awaited<ReturnType<typeof strictPostgres>>
beforeAll(async () => {
  server = await strictPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six']

test('databases that are not there are made side by side, and their services log in by password', async () => {
  const password = 'a password, with / and "quotes" and \'more\''
  const urls = NAMES.map((name) => server.urls(name, 'herald_service', password))
  await Promise.all(urls.map(prepare))
  for (const { serviceUrl } of urls)
    expect(await ask(serviceUrl, 'select current_user as user')).toEqual([
      { user: 'herald_service' },
    ])
})

test('a new password replaces the old one, and the same one changes nothing', async () => {
  const first = server.urls('notes', 'herald_service', 'first')
  const second = server.urls('notes', 'herald_service', 'second')
  await prepare(first)
  const stored = "select rolpassword from pg_authid where rolname = 'herald_service'"
  const before = await ask(first.ownerUrl, stored)
  await prepare(first)
  expect(await ask(first.ownerUrl, stored)).toEqual(before)
  await prepare(second)
  await expect(ask(first.serviceUrl, 'select 1')).rejects.toThrow('password authentication failed')
  expect(await ask(second.serviceUrl, 'select 1 as found')).toEqual([{ found: 1 }])
})

test('a service never gets to stand beyond the wall, and nobody else is given a password', async () => {
  const { ownerUrl } = server.urls('notes', '', '')
  await prepare(server.urls('notes', 'herald_service', 'right'))
  await ask(ownerUrl, `create role member login password 'right' in role herald_service`)
  await ask(ownerUrl, `create role stranger login password 'right'`)
  await ask(ownerUrl, `create role strong login password 'right' bypassrls in role herald_service`)
  await prepare(server.urls('notes', 'member', 'right'))
  for (const user of ['stranger', 'strong'])
    await expect(prepare(server.urls('notes', user, 'right'))).rejects.toThrow(
      `The service would connect as ${user}, which must be`,
    )
  await expect(prepare(server.urls('notes', 'member', 'wrong'))).rejects.toThrow(
    'password authentication failed',
  )
})

test('a login of its own is made with its password, and may connect to its own database alone', async () => {
  const own = server.urls('own', 'herald_own', 'first')
  const other = server.urls('other', 'herald_other', 'other')
  await Promise.all([prepare(own), prepare(other)])
  await prepare(server.urls('own', 'herald_own', 'second'))
  await expect(ask(own.serviceUrl, 'select 1')).rejects.toThrow('password authentication failed')
  expect(await ask(server.urls('own', 'herald_own', 'second').serviceUrl, SHOWN)).toEqual([
    { user: 'herald_own', statement: '30s', lock: '5s', idle: '1min' },
  ])
  const elsewhere = server.urls('other', 'herald_own', 'second').serviceUrl
  await expect(ask(elsewhere, 'select 1')).rejects.toThrow('permission denied for database')
})

const SHOWN = `select current_user as user, current_setting('statement_timeout') as statement,
  current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle`

function prepare(urls: { ownerUrl: string; serviceUrl: string }): Promise<void> {
  return prepareDatabase({ ...urls, migrate: (url) => runMigrations(url, NOTES) })
}

/** A Postgres that lets its superuser in as he comes and asks everybody else for a password. */
async function strictPostgres() {
  const folder = temporaryFolder()
  const hba = join(folder.path, 'hba.conf')
  writeFileSync(hba, 'host all postgres all trust\nhost all all all scram-sha-256\n')
  // The server may run as another user.
  chmodSync(folder.path, 0o755)
  chmodSync(hba, 0o644)
  const server = await testPostgres({ hba_file: hba })
  return {
    urls: (database: string, user: string, password: string) => ({
      ownerUrl: address(server.url, database),
      serviceUrl: address(server.url, database, user, password),
    }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

function address(server: string, database: string, user?: string, password = ''): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  if (user !== undefined) url.username = user
  url.password = encodeURIComponent(password)
  return url.href
}

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
