import { AppError } from '@herald/contracts/errors'
import { testDatabase } from '@herald/testing/database'
import { describe, expect, test as base } from 'vitest'
import { type Database, openDatabase } from '../src/database.ts'
import { handle } from '../src/handle.ts'
import { forgetFreeKeys, isClaimLost, type KeepAnswer, once } from '../src/idempotency.ts'
import { acrossOrganizations } from '../src/organization.ts'
import { counter, migrateCounters, ORGANIZATION } from './counter.ts'

type Pool = Database<Record<string, never>>['pool']
type Answer = { z: string; total: number; a: number }

const test = base.extend<{ pool: Pool }>({
  pool: async ({}, use) => {
    await using created = await testDatabase('event-store', migrateCounters)
    const database = openDatabase<Record<string, never>>({
      url: created.url,
      name: 'test',
      connections: 20,
    })
    await use(database.pool)
    await database.close()
  },
})

const CALLER = { organizationId: ORGANIZATION, actor: 'key:key_1' }
const REQUEST = { caller: CALLER, idempotencyKey: 'a key', amount: 5 }
const IN_PROGRESS = { status: 409, details: { reason: 'idempotency_in_progress' } }
const REUSED = { status: 422, details: { reason: 'idempotency_key_reused' } }

/** Adds to the counter of an organization; the answer's names are in no order that a database would choose. */
async function add(
  pool: Pool,
  amount: number,
  keep: KeepAnswer<Answer>,
  organizationId = ORGANIZATION,
): Promise<Answer> {
  const answer = (total: number): Answer => ({ z: 'last name first', total, a: amount })
  const { state } = await handle(
    { pool },
    counter,
    `counter of ${organizationId}`,
    { type: 'Add', amount },
    {
      organizationId,
      meta: {},
      riders: (_events, after) => keep(answer(after.state.total)),
    },
  )
  return answer(state.total)
}

const addOnce = (pool: Pool, request: Partial<typeof REQUEST> = {}, operation = 'add') => {
  const asked = { ...REQUEST, ...request }
  return once<typeof asked, Answer>(pool, operation, asked, (keep) => add(pool, asked.amount, keep))
}

async function totalOf(pool: Pool): Promise<number> {
  const { rows } = await acrossOrganizations(pool).query<{ total: number }>(
    'select sum(total)::int as total from counters',
  )
  return rows[0]?.total ?? 0
}

const letLeasesEnd = (pool: Pool) =>
  acrossOrganizations(pool).query(
    'update idempotency_keys set held_until = now() where answer is null',
  )
const letPass = (pool: Pool, interval: string) =>
  acrossOrganizations(pool).query(
    'update idempotency_keys set held_until = held_until - $1::interval',
    [interval],
  )

const outcomeOf = (call: Promise<Answer>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof AppError ? error.details?.reason : error),
  )

/** A piece of work that waits in its middle until it is told to go on. */
function paused(pool: Pool) {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
  const answer = once<typeof REQUEST, Answer>(pool, 'add', REQUEST, async (keep) => {
    begin()
    await mayGoOn
    return add(pool, REQUEST.amount, keep)
  })
  answer.catch(() => undefined)
  return { hasBegun, goOn, answer }
}

describe('a request with a key that was carried out', () => {
  test('has no effect again, and gets the first answer byte for byte', async ({ pool }) => {
    const first = await addOnce(pool)
    await addOnce(pool, { idempotencyKey: 'another' })
    const { isReplay, ...again } = await addOnce(pool)
    expect(isReplay).toBe(true)
    expect(JSON.stringify(again)).toBe(JSON.stringify(first))
    expect(JSON.stringify(first)).toBe('{"z":"last name first","total":5,"a":5}')
    expect(await totalOf(pool)).toBe(10)
  })

  test.each([
    ['another body', { amount: 6 }, 'add'],
    ['another operation', {}, 'subtract'],
  ])('is refused with %s under its key', async (_name, change, operation) => {
    await using created = await testDatabase('event-store', migrateCounters)
    const database = openDatabase({ url: created.url, name: 'test' })
    await addOnce(database.pool)
    await expect(addOnce(database.pool, change, operation)).rejects.toMatchObject(REUSED)
    expect(await totalOf(database.pool)).toBe(5)
    await database.close()
  })

  test('is the same whatever the order of its names', async ({ pool }) => {
    await addOnce(pool)
    const { amount, idempotencyKey, caller } = REQUEST
    expect(await addOnce(pool, { amount, idempotencyKey, caller })).toMatchObject({
      isReplay: true,
    })
  })

  test.each([
    ['another caller', { caller: { ...CALLER, actor: 'key:key_2' } }],
    ['another organization', { caller: { ...CALLER, organizationId: 'org_2' } }],
    ['another key', { idempotencyKey: 'a Key' }],
    ['no key', { idempotencyKey: undefined }],
  ])('says nothing to a request with %s', async (_name, change) => {
    await using created = await testDatabase('event-store', migrateCounters)
    const database = openDatabase({ url: created.url, name: 'test' })
    await addOnce(database.pool)
    const request = { ...REQUEST, ...change }
    const answer = await once<typeof request, Answer>(database.pool, 'add', request, (keep) =>
      add(database.pool, 5, keep, request.caller.organizationId),
    )
    expect(answer).not.toHaveProperty('isReplay')
    expect(await totalOf(database.pool)).toBe(10)
    await database.close()
  })

  test('is remembered for 24 hours and not longer, also before anybody sweeps', async ({
    pool,
  }) => {
    await addOnce(pool)
    await letPass(pool, '23 hours 59 minutes')
    expect(await forgetFreeKeys(pool)).toBe(0)
    expect(await addOnce(pool)).toMatchObject({ isReplay: true })
    await letPass(pool, '1 minute')
    expect(await addOnce(pool, { amount: 7 })).not.toHaveProperty('isReplay')
    expect(await totalOf(pool)).toBe(12)
    await letPass(pool, '24 hours')
    expect(await forgetFreeKeys(pool)).toBe(1)
  })
})

describe('a request that was refused', () => {
  test('is carried out when it comes again', async ({ pool }) => {
    const refused = once<typeof REQUEST, Answer>(pool, 'add', REQUEST, async () => {
      throw new AppError('limit_reached', 'Full.')
    })
    await expect(refused).rejects.toMatchObject({ code: 'limit_reached' })
    expect(await addOnce(pool)).not.toHaveProperty('isReplay')
    expect(await totalOf(pool)).toBe(5)
  })

  test('leaves its key to another request', async ({ pool }) => {
    const refused = once<typeof REQUEST, Answer>(pool, 'add', REQUEST, async () => {
      throw new Error('A bug.')
    })
    await expect(refused).rejects.toThrow('A bug.')
    expect(await addOnce(pool, { amount: 8 })).toMatchObject({ total: 8 })
  })
})

describe('a request under way', () => {
  test('makes the next one a conflict, and the one after its end a replay', async ({ pool }) => {
    const first = paused(pool)
    await first.hasBegun
    await expect(addOnce(pool)).rejects.toMatchObject(IN_PROGRESS)
    await expect(addOnce(pool, { amount: 6 })).rejects.toMatchObject(REUSED)
    first.goOn()
    const answer = await first.answer
    expect(await addOnce(pool)).toEqual({ ...answer, isReplay: true })
    expect(await totalOf(pool)).toBe(5)
  })

  test('50 at once have one effect; each is answered, replayed or a conflict', async ({ pool }) => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(addOnce(pool))))
    expect(new Set(outcomes)).toEqual(new Set(['answered', 'idempotency_in_progress']))
    expect(await totalOf(pool)).toBe(5)
    expect(await addOnce(pool)).toMatchObject({ total: 5, isReplay: true })
  })

  test('that died without an effect is carried out by the next one when its lease has ended', async ({
    pool,
  }) => {
    await paused(pool).hasBegun
    await letLeasesEnd(pool)
    expect(await addOnce(pool)).toEqual({ z: 'last name first', total: 5, a: 5 })
  })

  test('that was taken for dead has no effect any more, and gets the answer of the other', async ({
    pool,
  }) => {
    const slow = paused(pool)
    await slow.hasBegun
    await letLeasesEnd(pool)
    const answer = await addOnce(pool)
    slow.goOn()
    expect(await slow.answer).toEqual({ ...answer, isReplay: true })
    expect(await totalOf(pool)).toBe(5)
  })

  test('that was taken for dead is a conflict while the other is under way', async ({ pool }) => {
    const slow = paused(pool)
    await slow.hasBegun
    await letLeasesEnd(pool)
    const other = paused(pool)
    await other.hasBegun
    slow.goOn()
    await expect(slow.answer).rejects.toMatchObject(IN_PROGRESS)
    other.goOn()
    expect(await other.answer).toMatchObject({ total: 5 })
    expect(await totalOf(pool)).toBe(5)
  })

  test('that was taken for dead and forgotten has no effect', async ({ pool }) => {
    const slow = paused(pool)
    await slow.hasBegun
    await letLeasesEnd(pool)
    await forgetFreeKeys(pool)
    slow.goOn()
    await expect(slow.answer).rejects.toMatchObject(IN_PROGRESS)
    expect(await totalOf(pool)).toBe(0)
  })
})

describe('an effect and its answer', () => {
  test('are both there when the process dies between them and the caller', async ({ pool }) => {
    const died = once<typeof REQUEST, Answer>(pool, 'add', REQUEST, async (keep) => {
      await add(pool, 5, keep)
      throw new Error('The process ends here.')
    })
    await expect(died).rejects.toThrow('ends here')
    expect(await addOnce(pool)).toEqual({
      z: 'last name first',
      total: 5,
      a: 5,
      isReplay: true,
    })
    expect(await totalOf(pool)).toBe(5)
  })

  test('are both not there when the effect is refused', async ({ pool }) => {
    const closed = once<typeof REQUEST, Answer>(pool, 'add', REQUEST, async (keep) => {
      const lost = await add(pool, 5, (answer) => [
        ...keep(answer),
        { name: 'refuses', required: true, sql: 'select 1 where false', values: [] },
      ]).catch((error: unknown) => error)
      expect(isClaimLost(lost)).toBe(false)
      throw lost
    })
    await expect(closed).rejects.toMatchObject({ rider: 'refuses' })
    const { rows } = await acrossOrganizations(pool).query('select from idempotency_keys')
    expect(rows).toEqual([])
    expect(await totalOf(pool)).toBe(0)
  })

  test('work that comes to its end without an effect is remembered too', async ({ pool }) => {
    let times = 0
    const look = () =>
      once<typeof REQUEST, { times: number }>(pool, 'look', REQUEST, async () => ({
        times: ++times,
      }))
    expect(await look()).toEqual({ times: 1 })
    expect(await look()).toEqual({ times: 1, isReplay: true })
  })
})
