import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { EVENTS_STREAM } from '@herald/contracts/events'
import { type Bus, connectBus } from '@herald/service/bus'
import { jetStreamEvents } from '@herald/service/event-stream'
import { createLogger } from '@herald/service/logger'
import { testDatabase } from '@herald/testing/database'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { describe, expect, test as base } from 'vitest'
import { append } from '../src/append.ts'
import { type Database, openDatabase } from '../src/database.ts'
import { handle } from '../src/handle.ts'
import { outboxDepth } from '../src/outbox.ts'
import { checkProjection } from '../src/rebuild.ts'
import { type Relay, startRelay } from '../src/relay.ts'
import { counter, counterToPublic, migrateCounters, ORGANIZATION } from './counter.ts'

type Tables = Record<string, never>
type Fixture = {
  url: string
  database: Database<Tables>
  nats: Awaited<ReturnType<typeof testNats>>
  bus: Bus
  relay: () => Relay
  add: (id: string, amount?: number) => Promise<unknown>
}

const logger = createLogger({ service: 'test', level: 'silent' })
const options = { organizationId: ORGANIZATION, meta: {} }

const test = base.extend<{ world: Fixture }>({
  world: async ({}, use) => {
    await using created = await testDatabase('event-store', migrateCounters)
    await using nats = await testNats()
    const database = openDatabase<Tables>({ url: created.ownerUrl, name: 'test', connections: 20 })
    const bus = connectBus({ natsUrl: nats.url, name: 'test', logger })
    await bus.connection()
    const relays: Relay[] = []
    const relay = () => {
      const started = startRelay({
        databaseUrl: created.url,
        name: 'test',
        stream: jetStreamEvents(bus),
        toPublic: counterToPublic,
        logger,
      })
      relays.push(started)
      return started
    }
    await use({
      url: created.url,
      database,
      nats,
      bus,
      relay,
      add: (id, amount = 1) =>
        handle(
          { pool: database.pool },
          counter,
          id,
          {
            type: 'Add',
            amount,
          },
          options,
        ),
    })
    await Promise.all(relays.map((one) => one.close()))
    await bus.close()
    await database.close()
  },
})

/** Every message in the stream, in its order: the stream's id and the version. */
async function onBus({ bus }: Fixture): Promise<[string, number][]> {
  const connection = await bus.connection()
  const manager = await jetstreamManager(connection)
  const { messages } = (await manager.streams.info(EVENTS_STREAM)).state
  const found: [string, number][] = []
  if (messages === 0) return found
  const consumer = await jetstream(connection).consumers.get(EVENTS_STREAM)
  const batch = await consumer.fetch({ max_messages: messages, expires: 5_000 })
  for await (const message of batch) {
    const { subject, sequence } = message.json<{ subject: string; sequence: number }>()
    found.push([subject, sequence])
    if (found.length === messages) break
  }
  return found
}

async function inStore({ database }: Fixture): Promise<string[]> {
  const { rows } = await database.pool.query<{ stream_id: string; version: number }>(
    'select stream_id, version from events',
  )
  return rows.map(({ stream_id, version }) => `${stream_id}/${version}`).toSorted()
}

/** All that is stored is on the bus, and each stream's first sights are in order. */
async function expectComplete(world: Fixture): Promise<void> {
  await eventually(async () => {
    expect((await outboxDepth(world.database.pool)).waiting).toBe(0)
    const found = await onBus(world)
    expect([...new Set(found.map(([id, version]) => `${id}/${version}`))].toSorted()).toEqual(
      await inStore(world),
    )
    const last = new Map<string, number>()
    for (const [id, version] of found) {
      const before = last.get(id) ?? 0
      expect(version).toBeLessThanOrEqual(before + 1)
      last.set(id, Math.max(before, version))
    }
  })
}

/** The bus's last sequence that a relay has noted; undefined before the first note. */
async function lastMark({ database }: Fixture): Promise<number | undefined> {
  const { rows } = await database.pool.query<{ last_sequence: number }>(
    'select last_sequence from relay_mark order by at desc limit 1',
  )
  return rows[0]?.last_sequence
}

async function expectOnce(world: Fixture): Promise<void> {
  const found = (await onBus(world)).map(([id, version]) => `${id}/${version}`)
  expect(found.length).toBe(new Set(found).size)
}

describe('the relay', () => {
  test('hands every event to the bus once and in order under concurrent writers', async ({
    world,
  }) => {
    world.relay()
    await Promise.all(
      Array.from({ length: 400 }, (_, index) => world.add(`s${index % 40}`).catch(() => undefined)),
    )
    await expectComplete(world)
    await expectOnce(world)
    expect((await checkProjection(world.database.pool, counter)).mismatches).toEqual([])
  })

  test('skips no event when transactions commit in another order than they began', async ({
    world,
  }) => {
    world.relay()
    const slow = await world.database.pool.connect()
    await slow.query('begin')
    await handle(
      { pool: world.database.pool },
      counter,
      'slow',
      { type: 'Add', amount: 1 },
      {
        ...options,
        within: slow,
      },
    )
    for (let index = 0; index < 20; index++) await world.add(`fast${index}`)
    await eventually(async () => expect((await onBus(world)).length).toBe(40))
    await slow.query('commit')
    slow.release()
    await expectComplete(world)
    await expectOnce(world)
  })

  test('of two relays on one database one works, and the other takes over', async ({ world }) => {
    const first = world.relay()
    await world.add('a')
    await expectComplete(world)
    world.relay()
    await Promise.all(Array.from({ length: 100 }, (_, index) => world.add(`b${index}`)))
    await first.close()
    await Promise.all(Array.from({ length: 100 }, (_, index) => world.add(`c${index}`)))
    await expectComplete(world)
    await expectOnce(world)
  })

  test('two relays of different databases share the stream without losing or reordering', async ({
    world,
  }) => {
    await using other = await testDatabase('event-store', migrateCounters)
    const second = openDatabase<Tables>({ url: other.ownerUrl, name: 'test', connections: 10 })
    const relay = startRelay({
      databaseUrl: other.url,
      name: 'other',
      stream: jetStreamEvents(world.bus),
      toPublic: counterToPublic,
      logger,
    })
    world.relay()
    const addThere = (id: string) =>
      handle({ pool: second.pool }, counter, id, { type: 'Add', amount: 1 }, options)
    await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        Promise.all([world.add(`here${index}`), addThere(`there${index}`)]),
      ),
    )
    await eventually(async () => {
      const ids = (await onBus(world)).map(([id, version]) => `${id}/${version}`)
      expect(new Set(ids).size).toBe(1200)
      expect(ids.length).toBe(1200)
    })
    await relay.close()
    await second.close()
  })

  test.each(['relay.read', 'relay.published', 'relay.deleted'])(
    'killed at %s, the next relay loses nothing, skips nothing and keeps the order',
    async (point) => {
      await using created = await testDatabase('event-store', migrateCounters)
      await using nats = await testNats()
      const database = openDatabase<Tables>({ url: created.ownerUrl, name: 'test' })
      const bus = connectBus({ natsUrl: nats.url, name: 'test', logger })
      await bus.connection()
      const world: Fixture = {
        url: created.url,
        database,
        nats,
        bus,
        relay: () => {
          throw new Error('The relay runs in a process of its own here.')
        },
        add: (id) =>
          handle(
            { pool: database.pool },
            counter,
            id,
            {
              type: 'Add',
              amount: 1,
            },
            options,
          ),
      }
      for (let index = 0; index < 50; index++) await world.add(`s${index % 10}`)
      const run = async (crashAt: string) => {
        const child = fork(new URL('relay-process.ts', import.meta.url), {
          env: {
            ...process.env,
            DATABASE_URL: created.url,
            NATS_URL: nats.url,
            HERALD_CRASH_AT: crashAt,
          },
          execArgv: [],
        })
        return child
      }
      const doomed = await run(`${point}#1`)
      expect((await once(doomed, 'exit'))[1]).toBe('SIGKILL')
      for (let index = 0; index < 20; index++) await world.add(`s${index % 10}`)
      const next = await run('')
      await expectComplete(world)
      await expectOnce(world)
      next.kill('SIGKILL')
      await once(next, 'exit')
      await bus.close()
      await database.close()
    },
  )

  test('a message that is on the bus already counts once (duplicate acknowledgement)', async ({
    world,
  }) => {
    for (let index = 0; index < 10; index++) await world.add('a')
    const { rows } = await world.database.pool.query('select * from outbox order by id')
    world.relay()
    await expectComplete(world)
    // The same rows come again, as after a crash between the acknowledgement and the deletion.
    for (const row of rows)
      await world.database.pool.query('insert into outbox (stream_id, version) values ($1, $2)', [
        row.stream_id,
        row.version,
      ])
    await world.add('b')
    await expectComplete(world)
    await expectOnce(world)
  })

  test('events of a time without NATS are handed over when it is back', async ({ world }) => {
    world.relay()
    await world.add('a')
    await expectComplete(world)
    await world.nats.stop()
    for (let index = 0; index < 30; index++) await world.add(`b${index % 5}`)
    expect((await outboxDepth(world.database.pool)).waiting).toBeGreaterThan(0)
    await world.nats.start()
    await expectComplete(world)
    await expectOnce(world)
  })

  test('a wiped NATS gets every event again from Postgres', async ({ world }) => {
    world.relay()
    for (let index = 0; index < 30; index++) await world.add(`a${index % 5}`)
    await expectComplete(world)
    await world.nats.stop()
    await rm(world.nats.dataDir, { recursive: true, force: true })
    await world.add('b')
    await world.nats.start()
    await expectComplete(world)
    await expectOnce(world)
  })

  test.for([
    ['before the relay had noted where it stood', false],
    ['after the relay had noted where it stood', true],
  ] as const)(
    'a stream that is purged %s gets every event again from Postgres',
    async ([, isNoted], { world }) => {
      const first = world.relay()
      await eventually(async () => expect(await lastMark(world)).toBe(0))
      for (let index = 0; index < 30; index++) await world.add(`a${index % 5}`)
      await expectComplete(world)
      await first.close()
      if (isNoted) {
        const second = world.relay()
        await eventually(async () => expect(await lastMark(world)).toBeGreaterThan(0))
        await second.close()
      }
      const manager = await jetstreamManager(await world.bus.connection())
      await manager.streams.purge(EVENTS_STREAM)
      world.relay()
      await expectComplete(world)
    },
  )

  test('a stream that was deleted is made again with every event', async ({ world }) => {
    const first = world.relay()
    for (let index = 0; index < 30; index++) await world.add(`a${index % 5}`)
    await expectComplete(world)
    const manager = await jetstreamManager(await world.bus.connection())
    await manager.streams.delete(EVENTS_STREAM)
    await world.add('b')
    await eventually(async () => expect((await onBus(world)).length).toBeGreaterThan(0))
    await first.close()
    world.relay()
    await expectComplete(world)
  })

  test('a message that the bus refuses holds back what stands behind it, and nothing overtakes', async ({
    world,
  }) => {
    // Another writer moves the stream on all the time, so expectations fail again and again.
    const connection = await world.bus.connection()
    world.relay()
    await world.add('first')
    await expectComplete(world)
    let isNoisy = true
    const noise = (async () => {
      for (let index = 0; isNoisy; index++)
        await jetstream(connection).publish(`herald.events.v1.noise.x.${index}`, '{}')
    })()
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => world.add(`s${index % 5}`).catch(() => undefined)),
    )
    isNoisy = false
    await noise
    await eventually(async () => {
      expect((await outboxDepth(world.database.pool)).waiting).toBe(0)
    })
    const found = (await onBus(world)).filter(([id]) => id !== undefined)
    const last = new Map<string, number>()
    for (const [id, version] of found) {
      expect(version).toBe((last.get(id) ?? 0) + 1)
      last.set(id, version)
    }
    expect(found.length).toBe((await inStore(world)).length)
  })
})

test('an append that expects a version which has passed writes nothing, not even its read model', async ({
  world,
}) => {
  await world.add('a')
  const input = {
    streamId: 'a',
    streamType: 'counter',
    organizationId: ORGANIZATION,
    expectedVersion: 1,
    schemaVersion: 1,
    events: [{ type: 'Added', data: { amount: 1 } }],
    meta: {},
    projection: counter.projection as never,
    rows: { counters: [{ id: 'a', version: 9, total: 99 }] },
  }
  await expect(append(world.database.pool, input)).rejects.toThrow()
  const { rows } = await world.database.pool.query('select total from counters')
  expect(rows).toEqual([{ total: 1 }])
})
