import { UNLIMITED } from '@herald/contracts/quota'
import { newId } from '@herald/contracts/ids'
import { testPostgres } from '@herald/testing/postgres'
import { eventually } from '@herald/testing/eventually'
import { openDatabase } from '@herald/event-store/database'
import { describe, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import { migrate } from '../src/migrate.ts'
import { reservePosts } from '../src/post-units.ts'
import { ask, granted, keyOf, later, quotaWorld, START } from './world.ts'

describe('200 requests at once over two replicas', () => {
  test('get exactly what is left of the minute', async () => {
    await using world = await quotaWorld({ replicas: 2 })
    const key = keyOf(world.organization({ requestsPerMinute: 60 }))
    await ask(world.handlers, key, 7)
    const calls = Array.from({ length: 200 }, (_, i) => ask(world.replicas[i % 2]!, key))
    expect(await granted(calls)).toBe(53)
    expect(await ask(world.handlers, key)).toMatchObject({
      granted: 0,
      refusal: 'rate_limited',
      month: { used: 60 },
    })
  })

  test('of many keys get exactly what is left of the month', async () => {
    await using world = await quotaWorld({ replicas: 2 })
    const organizationId = world.organization({ requestsPerMonth: 100 })
    await ask(world.handlers, keyOf(organizationId), 31)
    const keys = Array.from({ length: 10 }, () => keyOf(organizationId))
    const calls = Array.from({ length: 200 }, (_, i) => ask(world.replicas[i % 2]!, keys[i % 10]!))
    expect(await granted(calls)).toBe(69)
    expect(await ask(world.handlers, keys[0]!)).toMatchObject({
      granted: 0,
      refusal: 'quota_exceeded',
      month: { used: 100 },
    })
  })

  test('asked for in mixed batches do not wait for each other in a circle', async () => {
    await using world = await quotaWorld({ replicas: 2 })
    const keys = Array.from({ length: 6 }, () => {
      const organizationId = world.organization({ requestsPerMonth: 150 })
      return [keyOf(organizationId), keyOf(organizationId)]
    }).flat()
    const calls = Array.from({ length: 100 }, (_, i) => {
      const mixed = keys.toSorted((one, other) => (one.keyId < other.keyId ? 1 : -1))
      const order = i % 3 === 0 ? keys : i % 3 === 1 ? keys.toReversed() : mixed
      return world.replicas[i % 2]!.admit({ requests: order.map((key) => ({ ...key, count: 1 })) })
    })
    const answers = (await Promise.all(calls)).flatMap(({ admissions }) => admissions)
    expect(answers.reduce((sum, answer) => sum + (answer?.granted ?? 0), 0)).toBe(6 * 150)
  })
})

describe('the minute of a key', () => {
  test('is there at once, then comes back one request at a time', async () => {
    await using world = await quotaWorld()
    const key = keyOf(world.organization({ requestsPerMinute: 60 }))
    expect((await ask(world.handlers, key, 60)).granted).toBe(60)
    const refused = await ask(world.handlers, key)
    expect(refused).toMatchObject({ granted: 0, at: START })
    expect(refused.minute).toEqual({ limit: 60, remaining: 0, resetsAt: later(START, 1_000) })
    await world.setClock(later(START, 999))
    expect((await ask(world.handlers, key)).granted).toBe(0)
    await world.setClock(later(START, 1_000))
    expect((await ask(world.handlers, key, 2)).granted).toBe(1)
    await world.setClock(later(START, 31_000))
    expect((await ask(world.handlers, key, 60)).granted).toBe(30)
    await world.setClock(later(START, 600_000))
    expect((await ask(world.handlers, key, 61)).granted).toBe(60)
  })

  test.each([1, 7, 59, 60, 61, 120, 599, 600, 7_000])(
    'of %d requests is exact: as many at once, and the next at the instant that was told',
    async (requestsPerMinute) => {
      await using world = await quotaWorld()
      const key = keyOf(world.organization({ requestsPerMinute }))
      expect((await ask(world.handlers, key, requestsPerMinute + 1)).granted).toBe(
        requestsPerMinute,
      )
      for (let round = 0; round < 5; round++) {
        const { granted: none, minute } = await ask(world.handlers, key)
        expect(none).toBe(0)
        await world.setClock(later(minute.resetsAt, -1))
        expect((await ask(world.handlers, key)).granted).toBe(0)
        await world.setClock(minute.resetsAt)
        expect((await ask(world.handlers, key)).granted).toBe(1)
      }
    },
  )

  test('tells what is left and when there will be one more', async () => {
    await using world = await quotaWorld()
    const key = keyOf(world.organization({ requestsPerMinute: 60 }))
    const { minute } = await ask(world.handlers, key)
    expect(minute).toEqual({ limit: 60, remaining: 59, resetsAt: later(START, 1_000) })
    await world.setClock(later(START, 400))
    expect((await ask(world.handlers, key)).minute).toMatchObject({
      remaining: 58,
      resetsAt: later(START, 1_000),
    })
  })

  test('is its own; the month is shared by the keys of the organization and by no others', async () => {
    await using world = await quotaWorld()
    const limits = { requestsPerMinute: 10, requestsPerMonth: 15 }
    const organizationId = world.organization(limits)
    const [one, two] = [keyOf(organizationId), keyOf(organizationId)]
    expect((await ask(world.handlers, one, 11)).granted).toBe(10)
    expect(await ask(world.handlers, two, 10)).toMatchObject({
      granted: 5,
      refusal: 'quota_exceeded',
      minute: { remaining: 5 },
      month: { used: 15 },
    })
    expect((await ask(world.handlers, keyOf(world.organization(limits)), 10)).granted).toBe(10)
  })

  test('loses nothing to what the month refuses, nor the month to what the minute refuses', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization({ requestsPerMinute: 5, requestsPerMonth: 6 })
    const [one, two] = [keyOf(organizationId), keyOf(organizationId)]
    expect(await ask(world.handlers, one, 50)).toMatchObject({ granted: 5, month: { used: 5 } })
    expect(await ask(world.handlers, two, 50)).toMatchObject({
      granted: 1,
      refusal: 'quota_exceeded',
      minute: { remaining: 4 },
    })
    expect((await ask(world.handlers, two)).minute.remaining).toBe(4)
  })

  test('is over within a minute after the clock was set back by an hour', async () => {
    await using world = await quotaWorld()
    const key = keyOf(world.organization({ requestsPerMinute: 60 }))
    await ask(world.handlers, key, 60)
    const back = later(START, -3_600_000)
    await world.setClock(back)
    expect(await ask(world.handlers, key)).toMatchObject({
      granted: 0,
      minute: { resetsAt: later(back, 1_000) },
    })
    await world.setClock(later(back, 1_000))
    expect((await ask(world.handlers, key)).granted).toBe(1)
  })

  test('follows the plan as soon as it changes', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization({ requestsPerMinute: 600 })
    const key = keyOf(organizationId)
    await ask(world.handlers, key, 300)
    world.setPlan(organizationId, { requestsPerMinute: 60 })
    expect((await ask(world.handlers, key, 60)).granted).toBe(30)
    world.setPlan(organizationId, { requestsPerMinute: 600 })
    expect((await ask(world.handlers, key)).granted).toBe(0)
  })
})

describe('the month of an organization', () => {
  test.each([
    ['2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
    ['2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-04-01T00:00:00.000Z'],
  ])('that is used up at %s begins anew a millisecond later', async (last, first, next) => {
    await using world = await quotaWorld()
    await world.setClock(last)
    const key = keyOf(world.organization({ requestsPerMonth: 3 }))
    expect(await ask(world.handlers, key, 4)).toMatchObject({
      granted: 3,
      refusal: 'quota_exceeded',
      month: { limit: 3, used: 3, resetsAt: first },
    })
    await world.setClock(first)
    expect(await ask(world.handlers, key)).toMatchObject({
      granted: 1,
      month: { used: 1, resetsAt: next },
    })
    // A clock that is set back does not give the month again.
    await world.setClock(last)
    expect((await ask(world.handlers, key)).granted).toBe(0)
  })

  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'is one in UTC when the database is in %s',
    async (zone) => {
      await using world = await quotaWorld()
      await world.pool.query(
        `do $$ begin execute format('alter database %I set timezone = %L', current_database(), '${zone}'); end $$`,
      )
      await world.pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      const pool = openDatabase<Record<string, never>>({ url: world.url, name: 'test' })
      try {
        await world.setClock('2026-12-01T00:00:00.000Z')
        const [answer] = await admit(pool.pool, [
          { ...keyOf(world.organization()), count: 1, limits: limits(UNLIMITED) },
        ])
        const { rows } = await pool.pool.query('show timezone')
        expect(rows).toEqual([{ TimeZone: zone }])
        expect(answer!.month.resetsAt).toBe('2027-01-01T00:00:00.000Z')
      } finally {
        await pool.close()
      }
    },
  )

  test('without a limit is counted all the same', async () => {
    await using world = await quotaWorld()
    const key = keyOf(world.organization())
    expect((await ask(world.handlers, key, 100_000)).granted).toBe(100_000)
    expect(await ask(world.handlers, key)).toMatchObject({
      granted: 1,
      minute: { limit: UNLIMITED },
      month: { limit: UNLIMITED, used: 100_001 },
    })
  })

  test('outlives a crash of Postgres; the minutes begin anew', async () => {
    await using postgres = await testPostgres()
    await migrate(postgres.url)
    const { pool, close } = openDatabase<Record<string, never>>({ url: postgres.url, name: 'test' })
    await using stack = new AsyncDisposableStack()
    stack.defer(close)
    const asked = [{ ...keyOf(newId('organization')), count: 5, limits: limits(5) }]
    await admit(pool, asked)
    // Posts wait for the disk, and what was written before goes with them.
    await reservePosts(
      pool,
      { organizationId: newId('organization'), postIds: [newId('post')] },
      { limit: 1, seconds: 60 },
    )
    await postgres.restart('SIGQUIT')
    const [answer] = await eventually(() => admit(pool, asked))
    expect(answer).toMatchObject({ granted: 5, month: { used: 10 } })
  })
})

describe('requests of several organizations in one statement', () => {
  test('are each counted behind the wall of their own', async () => {
    await using world = await quotaWorld()
    const keys = ['one', 'two', 'three'].map(() => keyOf(world.organization()))
    await world.handlers.admit({ requests: keys.map((key) => ({ ...key, count: 7 })) })
    for (const table of ['request_months', 'key_minutes']) {
      const all = `select organization_id from ${table} order by 1`
      const organizations = keys.map(({ organizationId }) => organizationId).toSorted()
      const { rows } = await world.pool.query<{ organization_id: string }>(all)
      expect(rows.map(({ organization_id }) => organization_id)).toEqual(organizations)
      // What the statement entered has ended with it.
      expect((await world.service.query(all)).rowCount).toBe(0)
    }
  })

  test('take nothing from the minute of a key of another organization', async () => {
    await using world = await quotaWorld()
    const key = keyOf(world.organization({ requestsPerMinute: 5 }))
    await ask(world.handlers, key)
    const asOther = { ...key, organizationId: world.organization() }
    await expect(ask(world.handlers, asOther)).rejects.toMatchObject({ code: '42501' })
    expect((await ask(world.handlers, key)).minute.remaining).toBe(3)
  })
})

test('a plan that is not known or has no API access gets no answer, and keeps none from the others', async () => {
  await using world = await quotaWorld()
  const free = world.organization({ requestsPerMinute: 0, requestsPerMonth: 0 })
  const keys = [keyOf(newId('organization')), keyOf(world.organization()), keyOf(free)]
  const { admissions } = await world.handlers.admit({
    requests: keys.map((key) => ({ ...key, count: 1 })),
  })
  expect(admissions.map((answer) => answer?.granted)).toEqual([undefined, 1, undefined])
})

function limits(requestsPerMinute: number) {
  return { requestsPerMinute, requestsPerMonth: UNLIMITED, postsPerMonth: UNLIMITED }
}
