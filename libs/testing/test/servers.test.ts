import { connect } from 'node:net'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import pg from 'pg'
import { natsGreeting } from '@herald/local/nats'
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
  const gone = connect(other.port, '127.0.0.1')
  const [error] = await once(gone, 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
})

test('a server that is frozen says nothing, and the same one goes on when it is resumed', async () => {
  await using nats = await testNats()
  const greeting = async () => (await natsGreeting(nats.port)).split('"server_name"')[0]
  const before = await greeting()
  expect(before).toContain('"server_id"')
  await nats.pause()
  expect(await greeting()).toBe('')
  await nats.resume()
  expect(await greeting()).toBe(before)
})

test('a server that was killed is there again at the same address, with its data', async () => {
  await using nats = await testNats()
  await nats.kill()
  expect(await natsGreeting(nats.port)).toBe('')
  await nats.start()
  expect(await natsGreeting(nats.port)).toContain('"jetstream":true')
  expect(existsSync(join(nats.dataDir, 'jetstream'))).toBe(true)
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
