import { connect } from 'node:net'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import pg from 'pg'
import { testNats } from '../src/nats.ts'
import { testPostgres } from '../src/postgres.ts'

test('each call has a nats-server of its own, whose data goes with it', async () => {
  await using one = await testNats()
  const other = await testNats()
  expect(one.url).not.toBe(other.url)
  const socket = connect(other.port, '127.0.0.1')
  const [info] = await once(socket, 'data')
  expect(String(info)).toContain('"jetstream":true')
  socket.destroy()
  await other[Symbol.asyncDispose]()
  expect(existsSync(other.dataDir)).toBe(false)
  expect(() => process.kill(other.pid, 0)).toThrow('ESRCH')
})

test('what a test Postgres acknowledged is there again after it was killed', async () => {
  await using server = await testPostgres()
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  expect((await client.query('show fsync')).rows).toEqual([{ fsync: 'on' }])
  await client.query('create table kept as select 42 as answer')
  await server.restart('SIGKILL')
  const second = new pg.Client({ connectionString: server.url })
  await second.connect()
  expect((await second.query('select answer from kept')).rows).toEqual([{ answer: 42 }])
  await second.end()
})
