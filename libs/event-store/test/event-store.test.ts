import { testDatabase } from '@herald/testing/database'
import { describe, expect, test as base } from 'vitest'
import { append } from '../src/append.ts'
import { type Database, openDatabase } from '../src/database.ts'
import { RiderRefused, VersionConflict } from '../src/errors.ts'
import { handle, loadEvents, loadStream } from '../src/handle.ts'
import { checkProjection, rebuildProjection } from '../src/rebuild.ts'
import { counter, migrateCounters, ORGANIZATION } from './counter.ts'

type Tables = Record<string, never>

const test = base.extend<{ database: Database<Tables> }>({
  database: async ({}, use) => {
    await using created = await testDatabase('event-store', migrateCounters)
    const database = openDatabase<Tables>({ url: created.ownerUrl, name: 'test', connections: 20 })
    await use(database)
    await database.close()
  },
})

const options = { organizationId: ORGANIZATION, meta: { actor: 'test' } }
const add = (database: Database<Tables>, id: string, amount: number) =>
  handle({ pool: database.pool }, counter, id, { type: 'Add', amount }, options)

async function versions(database: Database<Tables>, id: string): Promise<number[]> {
  return (await loadEvents(database.pool, id, ORGANIZATION)).map(({ version }) => version)
}

describe('appending', () => {
  test('events, outbox and read model appear together', async ({ database }) => {
    const { state, version } = await add(database, 'a', 5)
    expect([state.total, version]).toEqual([5, 2])
    const { rows: outbox } = await database.pool.query(
      'select stream_id, version from outbox order by id',
    )
    expect(outbox).toEqual([
      { stream_id: 'a', version: 1 },
      { stream_id: 'a', version: 2 },
    ])
    const { rows } = await database.pool.query('select * from counters')
    expect(rows).toEqual([{ id: 'a', version: 2, total: 5 }])
  })

  test('the expected version is the guard: of two appends at one version the second is refused', async ({
    database,
  }) => {
    await add(database, 'a', 1)
    const input = {
      streamId: 'a',
      streamType: 'counter',
      organizationId: ORGANIZATION,
      schemaVersion: 1,
      events: [{ type: 'Added', data: { amount: 1 } }],
      meta: {},
      projection: counter.projection as never,
      rows: {},
    }
    await append(database.pool, { ...input, expectedVersion: 2 })
    await expect(append(database.pool, { ...input, expectedVersion: 2 })).rejects.toThrow(
      VersionConflict,
    )
    await expect(append(database.pool, { ...input, expectedVersion: 0 })).rejects.toThrow(
      VersionConflict,
    )
    expect(await versions(database, 'a')).toEqual([1, 2, 3])
  })

  test('a precondition holds until the append: of 20 writers that saw one state, one writes', async ({
    database,
  }) => {
    await add(database, 'a', 1)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        handle(
          { pool: database.pool },
          counter,
          'a',
          { type: 'Add', amount: 1 },
          {
            ...options,
            precondition: ({ state, version }) => {
              if (state.total !== 1 || version !== 2) throw new Error('It has changed.')
            },
          },
        ),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ message: 'It has changed.' })
    expect(await versions(database, 'a')).toEqual([1, 2, 3])
  })

  test('a stream of another organization cannot be appended to, nor read', async ({ database }) => {
    await add(database, 'a', 1)
    const other = { ...options, organizationId: 'org_other' }
    await expect(
      handle({ pool: database.pool }, counter, 'a', { type: 'Add', amount: 1 }, other),
    ).rejects.toMatchObject({ code: 'conflict' })
    expect(await loadEvents(database.pool, 'a', 'org_other')).toEqual([])
  })

  test('a rider that refuses takes the whole append with it', async ({ database }) => {
    const riders = [
      { name: 'refuses', sql: 'select 1 where $1::boolean', values: [false], required: true },
    ]
    const attempt = handle(
      { pool: database.pool },
      counter,
      'a',
      { type: 'Close' },
      {
        ...options,
        riders,
      },
    )
    await expect(attempt).rejects.toThrow(RiderRefused)
    expect(await versions(database, 'a')).toEqual([])
    const { rowCount } = await database.pool.query('select from outbox')
    expect(rowCount).toBe(0)
  })

  test('30 writers of one stream at once: every accepted command counts once, without a gap', async ({
    database,
  }) => {
    await add(database, 'a', 0)
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, () => add(database, 'a', 1)),
    )
    const accepted = results.filter(({ status }) => status === 'fulfilled').length
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' })
    const { state, version } = await loadStream(database.pool, counter, 'a', ORGANIZATION)
    expect(state.total).toBe(accepted)
    expect(await versions(database, 'a')).toEqual(Array.from({ length: version }, (_, i) => i + 1))
  })

  test('outbox ids follow the versions within every stream under 500 concurrent appends', async ({
    database,
  }) => {
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        add(database, `s${index % 20}`, 1).catch(() => undefined),
      ),
    )
    const { rows } = await database.pool.query<{ wrong: number }>(
      `select count(*)::int as wrong from (
         select version, lag(version) over (partition by stream_id order by id) as before from outbox) o
       where version <> coalesce(before, 0) + 1`,
    )
    expect(rows[0]?.wrong).toBe(0)
  })

  test('a command that is refused writes nothing', async ({ database }) => {
    await handle({ pool: database.pool }, counter, 'a', { type: 'Close' }, options)
    await expect(add(database, 'a', 1)).rejects.toMatchObject({ code: 'conflict' })
    expect(await versions(database, 'a')).toEqual([1, 2])
  })

  test.each(['update events set version = 9', 'delete from events', 'truncate events'])(
    'stored events are final: %s is refused',
    async (statement) => {
      await using created = await testDatabase('event-store', migrateCounters)
      const database = openDatabase<Tables>({ url: created.ownerUrl, name: 'test' })
      await add(database, 'a', 1)
      await expect(database.pool.query(statement)).rejects.toThrow('never changed')
      await database.close()
    },
  )
})

describe('upcasting', () => {
  test('an event of an older schema version is read in the shape of today', async ({
    database,
  }) => {
    await add(database, 'a', 7)
    const today = {
      ...counter,
      schemaVersion: 3,
      upcasts: [
        {
          type: 'Added',
          from: 1,
          change: (data: Record<string, unknown>) => ({ plus: data.amount }),
        },
        {
          type: 'Added',
          from: 2,
          change: (data: Record<string, unknown>) => ({ amount: Number(data.plus) * 10 }),
        },
      ],
    }
    const { state } = await loadStream(database.pool, today, 'a', ORGANIZATION)
    expect(state.total).toBe(70)
  })
})

describe('the read model', () => {
  test('is the fold of the events, and the check says so', async ({ database }) => {
    for (let index = 0; index < 40; index++) await add(database, `s${index % 7}`, index)
    await handle({ pool: database.pool }, counter, 's3', { type: 'Close' }, options)
    expect(await checkProjection(database.pool, counter)).toEqual({ streams: 7, mismatches: [] })
  })

  test('a row that differs, is missing or is too many is found, and a rebuild mends it', async ({
    database,
  }) => {
    for (const id of ['a', 'b', 'c', 'd']) await add(database, id, 1)
    await handle({ pool: database.pool }, counter, 'd', { type: 'Close' }, options)
    await database.pool.query(`update counters set total = 99 where id = 'a'`)
    await database.pool.query(`delete from counters where id = 'b'`)
    await database.pool.query(`insert into counters values ('d', 1, 1)`)
    const { mismatches } = await checkProjection(database.pool, counter)
    expect(mismatches.toSorted()).toEqual(['a', 'b', 'd'])
    expect(await rebuildProjection(database.pool, counter)).toEqual({ streams: 4 })
    expect(await checkProjection(database.pool, counter)).toEqual({ streams: 4, mismatches: [] })
  })

  test('is rebuilt while writers go on, and no write is missing after it', async ({ database }) => {
    for (let index = 0; index < 300; index++) await add(database, `s${index}`, 1)
    let isRebuilding = true
    const accepted = { count: 300 }
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let index = 0; isRebuilding; index++) {
        await add(database, `s${(index * 4 + writer) % 320}`, 1)
        accepted.count += 1
      }
    })
    await rebuildProjection(database.pool, counter)
    await rebuildProjection(database.pool, counter)
    isRebuilding = false
    await Promise.all(writers)
    const { rows } = await database.pool.query<{ sum: number }>(
      'select sum(total)::int as sum from counters',
    )
    expect(rows[0]?.sum).toBe(accepted.count)
    expect((await checkProjection(database.pool, counter)).mismatches).toEqual([])
  })
})
