import { spawnSync } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import pg from 'pg'
import { eventually } from '@herald/testing/eventually'
import { fastFolder, temporaryFolder } from '@herald/testing/temporary-folder'
import { freePorts } from '../src/free-port.ts'
import { startPostgres } from '../src/postgres.ts'
import { findProcess } from '../src/process-info.ts'
import { hasSetpriv, pathThatOutlivesParents, pathWithoutSetpriv, startInChild } from './child.ts'

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

test('it starts as any user, root too, durable and on loopback only, and stops without a trace', async () => {
  using folder = temporaryFolder(fastFolder())
  const server = await startPostgres({ dataDir: folder.path })
  expect(server.url).toBe(`postgres://postgres@127.0.0.1:${server.port}/postgres`)
  const settings = [
    'fsync',
    'listen_addresses',
    'unix_socket_directories',
    'timezone',
    'data_checksums',
  ]
  const values = await Promise.all(settings.map((name) => query(server.url, `show ${name}`)))
  expect(values.flat().flatMap((row) => Object.values(row))).toEqual([
    'on',
    '127.0.0.1',
    '',
    'UTC',
    'on',
  ])
  expect(statSync(join(folder.path, 'cluster')).mode & 0o777).toBe(0o700)
  await server.stop()
  await server.exited
  expect(findProcess(server.pid)).toBeUndefined()
  await server.stop()
})

test('upper and lower case of all languages are known whatever the locale of the machine', async () => {
  using folder = temporaryFolder(fastFolder())
  const server = await startPostgres({ dataDir: folder.path })
  expect(await query(server.url, `select 'ÄÉЖ' ilike 'äéж' as same`)).toEqual([{ same: true }])
  await server.stop()
})

test('settings of the caller replace the defaults, and the port is the one asked for', async () => {
  using folder = temporaryFolder(fastFolder())
  const [port = 0] = await freePorts(1)
  const server = await startPostgres({
    dataDir: folder.path,
    port,
    settings: { max_connections: '17' },
  })
  expect(server.port).toBe(port)
  expect(await query(server.url, 'show max_connections')).toEqual([{ max_connections: '17' }])
  await server.stop()
})

test('a setting that Postgres does not know is told in its own words', async () => {
  using folder = temporaryFolder(fastFolder())
  const start = startPostgres({ dataDir: folder.path, settings: { no_such_setting: '1' } })
  await expect(start).rejects.toThrow('no_such_setting')
})

test('data is there again after the server was killed in the middle of a session', async () => {
  using folder = temporaryFolder(fastFolder())
  const first = await startPostgres({ dataDir: folder.path })
  await query(first.url, 'create table kept as select 1 as id')
  const session = new pg.Client({ connectionString: first.url })
  session.on('error', () => {})
  await session.connect()
  first.kill('SIGKILL')
  await first.exited
  const second = await startPostgres({ dataDir: folder.path })
  expect(await query(second.url, 'select id from kept')).toEqual([{ id: 1 }])
  await second.stop()
})

test('a server ends when the process that started it is killed', async ({ skip }) => {
  // Where the system has no means for this, the next test is the whole guarantee.
  if (!hasSetpriv()) skip()
  using folder = temporaryFolder(fastFolder())
  const owner = await startInChild('postgres', { dataDir: folder.path })
  await owner.kill()
  await eventually(() => expect(findProcess(owner.server.pid)).toBeUndefined())
})

test('a start on the folder of a killed process stops the server that was left behind', async () => {
  using folder = temporaryFolder(fastFolder())
  const owner = await startInChild(
    'postgres',
    { dataDir: folder.path },
    pathThatOutlivesParents(folder.path),
  )
  await query(owner.server.url, 'create table kept as select 2 as id')
  await owner.kill()
  expect(findProcess(owner.server.pid)).toBeDefined()
  const lines: string[] = []
  const server = await startPostgres({ dataDir: folder.path, log: (line) => lines.push(line) })
  expect(lines).toEqual([
    `Stopping a Postgres that an earlier run left behind (process ${owner.server.pid}).`,
  ])
  expect(findProcess(owner.server.pid)).toBeUndefined()
  expect(await query(server.url, 'select id from kept')).toEqual([{ id: 2 }])
  await server.stop()
})

test('a folder that a living Herald uses is refused and its server goes on', async () => {
  using folder = temporaryFolder(fastFolder())
  const server = await startPostgres({ dataDir: folder.path })
  await expect(startPostgres({ dataDir: folder.path })).rejects.toThrow(
    `is in use by Herald (process ${process.pid})`,
  )
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await server.stop()
})

test('a process id in the folder that now belongs to another program does not stop the start', async () => {
  using folder = temporaryFolder(fastFolder())
  const first = await startPostgres({ dataDir: folder.path })
  await first.stop()
  const pidFile = join(folder.path, 'cluster', 'postmaster.pid')
  writeFileSync(pidFile, `${process.pid}\n${join(folder.path, 'cluster')}\n`)
  const second = await startPostgres({ dataDir: folder.path })
  await second.stop()
  expect(existsSync(pidFile)).toBe(false)
})

test('without setpriv root uses a user namespace, and either way may use the folder of the other', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0 || !canMapUsers()) skip()
  using folder = temporaryFolder(fastFolder())
  const first = await startPostgres({ dataDir: folder.path })
  await query(first.url, 'create table kept as select 3 as id')
  await first.stop()
  const owner = await startInChild(
    'postgres',
    { dataDir: folder.path },
    pathWithoutSetpriv(folder.path),
  )
  expect(await query(owner.server.url, 'select id from kept')).toEqual([{ id: 3 }])
  expect(statSync(join(folder.path, 'cluster')).uid).toBe(0)
  await owner.kill()
  const last = await startPostgres({ dataDir: folder.path })
  expect(await query(last.url, 'select id from kept')).toEqual([{ id: 3 }])
  await last.stop()
})

function canMapUsers(): boolean {
  return (
    spawnSync('unshare', ['--user', '--map-user=1000', '--map-group=1000', 'true']).status === 0
  )
}
