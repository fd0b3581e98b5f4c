import { readFileSync } from 'node:fs'
import { testPostgres } from '@herald/testing/postgres'
import pg from 'pg'
import { expect, test as base } from 'vitest'
import type { Privileges } from '../postgres/read-privileges.ts'
import { PRIVILEGES, preparedPrivileges } from '../postgres/write-privileges.ts'

const OWNERS = ['accounts', 'quota', 'channels', 'media', 'posts', 'publisher']

const test = base.extend<{ server: { url: string; found: Privileges } }>({
  server: [
    async ({}, use) => {
      await using server = await testPostgres()
      await use({ url: server.url, found: await preparedPrivileges(server.url) })
    },
    { scope: 'file' },
  ],
})

test('each role may do what the checked-in list says and nothing else: run deploy/postgres/write-privileges.ts, and read what changes', ({
  server,
}) => {
  expect(server.found).toEqual(JSON.parse(readFileSync(PRIVILEGES, 'utf8')))
})

test('a service connects to its own database alone, makes nothing there, and has limits for connections and waits', ({
  server: { found },
}) => {
  for (const owner of OWNERS) {
    const role = `herald_${owner}`
    expect(found.databases[role]).toEqual([`${role}: CONNECT`])
    expect(found.objects[role]?.[role]).toContain('schema public: USAGE')
    expect(found.roles[role]).toEqual([
      'login',
      'member of herald_service',
      'connection limit 60',
      'idle_in_transaction_session_timeout=1min',
      'lock_timeout=5s',
      'statement_timeout=30s',
    ])
  }
})

test('nobody may change or remove events, empty a table, or own anything', ({
  server: { found },
}) => {
  const rights = Object.values(found.objects).flatMap((roles) => Object.values(roles).flat())
  expect(rights.length).toBeGreaterThan(50)
  expect(rights.filter((right) => /^table events:.*(UPDATE|DELETE)/.test(right))).toEqual([])
  expect(
    rights.filter((right) => /TRUNCATE|TRIGGER|REFERENCES|MAINTAIN|^owner/.test(right)),
  ).toEqual([])
})

test.for([
  ['make a table', 'posts', 'create table mine ()', 'permission denied for schema public'],
  ['make a temporary table', 'posts', 'create temporary table mine ()', 'permission denied'],
  [
    'change an event',
    'posts',
    `set herald.organization = 'org_1'; update events set data = '{}'`,
    'permission denied for table events',
  ],
  [
    'remove events for all',
    'posts',
    'set role herald_across; delete from events',
    'permission denied',
  ],
  ['empty a table', 'publisher', 'truncate attempts', 'permission denied for table attempts'],
  ['become the owner', 'accounts', 'set role postgres', 'permission denied to set role'],
] satisfies [string, string, string, string][])(
  'a service cannot %s',
  async ([, owner, statement, refusal], { server }) => {
    await expect(ask(server.url, `herald_${owner}`, `herald_${owner}`, statement)).rejects.toThrow(
      refusal,
    )
  },
)

test('a service cannot enter the database of another', async ({ server }) => {
  await expect(ask(server.url, 'herald_posts', 'herald_channels', 'select 1')).rejects.toThrow(
    'permission denied for database "herald_channels"',
  )
})

async function ask(server: string, user: string, database: string, statement: string) {
  const url = Object.assign(new URL(server), { username: user, pathname: `/${database}` }).href
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
