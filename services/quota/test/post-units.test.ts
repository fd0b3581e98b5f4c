import { AppError, unavailable } from '@herald/contracts/errors'
import type { CloudEvent } from '@herald/contracts/events'
import { newId } from '@herald/contracts/ids'
import { UNLIMITED } from '@herald/contracts/quota'
import { eventually } from '@herald/testing/eventually'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { onPostCancelled, onPostScheduled } from '../src/on-post-events.ts'
import { confirmReservations, postCounter } from '../src/post-units.ts'
import { sweep } from '../src/sweep.ts'
import { later, quotaWorld, START, type World } from './world.ts'

const DECEMBER = '2026-12-01T00:00:00.000Z'

/** Reserves a post of an organization and answers its id. */
async function reserve(world: World, organizationId: string, postId = newId('post')) {
  await world.handlers.reservePost({ organizationId, postId })
  return postId
}

/** What a call is refused with. */
async function refusalOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => new Error('was not refused'),
    (refusal: unknown) => refusal,
  )
  if (!(error instanceof AppError)) throw error
  return { code: error.code, status: error.status, details: error.details }
}

/** How many posts count in each month; checked against the posts themselves. */
async function usedBy({ pool }: World, organizationId: string): Promise<Record<string, number>> {
  const months = async (sql: string) => {
    const { rows } = await pool.query<{ month: string; used: number }>(sql, [organizationId])
    return Object.fromEntries(rows.map(({ month, used }) => [month, used]))
  }
  const counted = await months(
    `select to_char(month, 'YYYY-MM') as month, used from post_months where organization_id = $1 and used <> 0`,
  )
  const standing = await months(
    `select to_char(month, 'YYYY-MM') as month, count(*) as used from post_units
     where organization_id = $1 and state in ('reserved', 'counted') group by 1`,
  )
  expect(counted).toEqual(standing)
  return counted
}

function event(type: string, organizationId: string, postId: string, time = START): CloudEvent {
  const data = { postId, source: 'api', scheduledAt: time, channels: [] }
  return {
    specversion: '1.0',
    id: newId('event'),
    source: '/herald/posts',
    type,
    subject: postId,
    time,
    datacontenttype: 'application/json',
    organizationid: organizationId,
    sequence: type === 'PostScheduled' ? 1 : 2,
    data,
  }
}

const scheduled = (world: World, ...facts: [string, string, string?]) =>
  onPostScheduled(postCounter(world.service), event('PostScheduled', ...facts))
const cancelled = (world: World, ...facts: [string, string, string?]) =>
  onPostCancelled(world.service, event('PostCancelled', ...facts))

/** Sweeps, while the posts service knows these posts. */
const sweepKnowing = ({ service: pool }: World, ...known: string[]) =>
  sweep({
    pool,
    posts: {
      filterCreated: async ({ postIds }) => ({
        postIds: postIds.filter((id) => known.includes(id)),
      }),
    },
  })

test('posts of several organizations that are counted together each count in their own, once', async () => {
  await using world = await quotaWorld()
  const [one, other] = [world.organization({}), world.organization({})]
  const count = postCounter(world.service)
  const made = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const organizationId = index % 2 === 0 ? one : other
      // Every third has lost its reservation, or never had one.
      const postId = index % 3 === 0 ? newId('post') : await reserve(world, organizationId)
      return event('PostScheduled', organizationId, postId)
    }),
  )
  await cancelled(world, one, String(made[0]?.subject))
  for (let time = 0; time < 2; time++)
    await Promise.all(made.map((each) => onPostScheduled(count, each)))
  expect(await usedBy(world, one)).toEqual({ '2026-11': 14 })
  expect(await usedBy(world, other)).toEqual({ '2026-11': 15 })
  const { rows } = await world.pool.query("select from post_units where state = 'reserved'")
  expect(rows).toEqual([])
})

test('a post is not counted for an organization that it is not of', async () => {
  await using world = await quotaWorld()
  const [one, other] = [world.organization({}), world.organization({})]
  const postId = await reserve(world, one)
  expect(await confirmReservations(world.service, [{ organizationId: other, postId }])).toEqual([
    false,
  ])
  const { rows } = await world.pool.query('select state from post_units')
  expect(rows).toEqual([{ state: 'reserved' }])
})

describe('a reservation', () => {
  test('of 200 at once over two replicas is granted to exactly as many as are left', async () => {
    await using world = await quotaWorld({ replicas: 2 })
    const organizationId = world.organization({ postsPerMonth: 50 })
    await reserve(world, organizationId)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) =>
        world.replicas[i % 2]!.reservePost({ organizationId, postId: newId('post') }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(49)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({
          code: 'limit_reached',
          status: 409,
          details: { limit: 50, used: 50, resetsAt: DECEMBER },
        })
    expect(await usedBy(world, organizationId)).toEqual({ '2026-11': 50 })
  })

  test('is refused at once by a plan without posts, and never by one without a limit', async () => {
    await using world = await quotaWorld()
    const none = world.organization({ postsPerMonth: 0 })
    expect(await refusalOf(reserve(world, none))).toMatchObject({
      code: 'limit_reached',
      details: { limit: 0, used: 0 },
    })
    const all = world.organization({ postsPerMonth: UNLIMITED })
    await Promise.all(Array.from({ length: 20 }, () => reserve(world, all)))
    expect(await usedBy(world, all)).toEqual({ '2026-11': 20 })
  })

  test('that is released comes back, once', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization({ postsPerMonth: 2 })
    const postId = await reserve(world, organizationId)
    await reserve(world, organizationId)
    for (let times = 0; times < 3; times++)
      await world.handlers.releasePost({ organizationId, postId })
    expect(await usedBy(world, organizationId)).toEqual({ '2026-11': 1 })
  })

  test('is not released any more once the post counts, nor by another organization', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization()
    const postId = await reserve(world, organizationId)
    await world.handlers.releasePost({ organizationId: world.organization(), postId })
    await scheduled(world, organizationId, postId)
    await world.handlers.releasePost({ organizationId, postId })
    expect(await usedBy(world, organizationId)).toEqual({ '2026-11': 1 })
  })

  test('of a used-up month is granted again when the next one begins', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization({ postsPerMonth: 1 })
    await world.setClock(later(DECEMBER, -1))
    await reserve(world, organizationId)
    expect(await refusalOf(reserve(world, organizationId))).toMatchObject({
      details: { resetsAt: DECEMBER },
    })
    await world.setClock(DECEMBER)
    await reserve(world, organizationId)
    expect(await usedBy(world, organizationId)).toEqual({ '2026-11': 1, '2026-12': 1 })
  })
})

describe('a reservation that ran out', () => {
  test('comes back when the post does not exist, and not before', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization({ postsPerMonth: 1 })
    await reserve(world, organizationId)
    await world.setClock(later(START, 59_999))
    expect(await sweepKnowing(world)).toBe(0)
    expect(await refusalOf(reserve(world, organizationId))).toMatchObject({ code: 'limit_reached' })
    await world.setClock(later(START, 60_000))
    expect(await sweepKnowing(world)).toBe(1)
    await reserve(world, organizationId)
  })

  test('stays when the post exists although no event told of it, and is asked about once', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization({ postsPerMonth: 1 })
    const postId = await reserve(world, organizationId)
    await world.setClock(later(START, 600_000))
    expect(await sweepKnowing(world, postId)).toBe(1)
    expect(await sweepKnowing(world)).toBe(0)
    await scheduled(world, organizationId, postId)
    expect(await usedBy(world, organizationId)).toEqual({ '2026-11': 1 })
  })

  test('stays while the posts service cannot be asked', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization()
    await reserve(world, organizationId)
    await world.setClock(later(START, 600_000))
    const posts = { filterCreated: () => Promise.reject(unavailable()) }
    await expect(sweep({ pool: world.service, posts })).rejects.toMatchObject({ status: 503 })
    expect(await usedBy(world, organizationId)).toEqual({ '2026-11': 1 })
  })

  test('and was given back counts all the same when the post turns out to exist, beyond the limit', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization({ postsPerMonth: 1 })
    const postId = await reserve(world, organizationId)
    await world.setClock(later(START, 60_000))
    await sweepKnowing(world)
    await reserve(world, organizationId)
    await scheduled(world, organizationId, postId)
    expect(await usedBy(world, organizationId)).toEqual({ '2026-11': 2 })
    expect(await refusalOf(reserve(world, organizationId))).toMatchObject({
      details: { limit: 1, used: 2 },
    })
  })

  test('is settled once by sweeps at the same time', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization()
    for (let count = 0; count < 20; count++) await reserve(world, organizationId)
    await world.setClock(later(START, 60_000))
    await Promise.all(Array.from({ length: 5 }, () => sweepKnowing(world)))
    expect(await usedBy(world, organizationId)).toEqual({})
  })
})

describe('events', () => {
  test('that come five times count once, and give back once', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization()
    const [kept, gone] = [
      await reserve(world, organizationId),
      await reserve(world, organizationId),
    ]
    for (let times = 0; times < 5; times++) {
      await scheduled(world, organizationId, kept)
      await scheduled(world, organizationId, gone)
      await cancelled(world, organizationId, gone)
    }
    expect(await usedBy(world, organizationId)).toEqual({ '2026-11': 1 })
  })

  test('in any order and number, some at once, with sweeps in between, leave what the posts are', async () => {
    await using world = await quotaWorld({ replicas: 2 })
    const steps = ['reserve', 'scheduled', 'cancelled', 'sweep'] as const
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...steps), fc.nat(2), fc.boolean()), { maxLength: 20 }),
        fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
        async (moves, isCancelled) => {
          const organizationId = world.organization()
          const posts = isCancelled.map(() => newId('post'))
          const created = posts.filter((_, index) => !isCancelled[index])
          const run = {
            // A post that is known already is not reserved again.
            reserve: (id: string) => reserve(world, organizationId, id).catch(() => undefined),
            scheduled: (id: string) => scheduled(world, organizationId, id),
            cancelled: async (id: string) =>
              created.includes(id) ? undefined : cancelled(world, organizationId, id),
            sweep: () => sweepKnowing(world, ...created),
          }
          const pending: Promise<unknown>[] = []
          for (const [step, post, waits] of moves) {
            pending.push(run[step](posts[post]!))
            if (waits) await Promise.all(pending)
          }
          await Promise.all(pending)
          for (const id of posts) {
            await run.scheduled(id)
            await run.cancelled(id)
          }
          const count = created.length
          expect(await usedBy(world, organizationId)).toEqual(count ? { '2026-11': count } : {})
        },
      ),
      { numRuns: 40 },
    )
  })

  test('of a creation and a cancellation at the same time, the first of the month, leave nothing', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization()
    const postId = newId('post')
    const creation = await world.pool.connect()
    await creation.query('begin')
    await creation.query(
      `insert into post_months (organization_id, month, used) values ($1, '2026-11-01', 1)`,
      [organizationId],
    )
    await creation.query(
      `insert into post_units (post_id, organization_id, month, state) values ($1, $2, '2026-11-01', 'counted')`,
      [postId, organizationId],
    )
    const cancelling = cancelled(world, organizationId, postId)
    await eventually(async () => {
      const { rowCount } = await world.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rowCount).toBe(1)
    })
    await creation.query('commit')
    creation.release()
    await cancelling
    expect(await usedBy(world, organizationId)).toEqual({})
  })

  test('of a post that was cancelled in a later month give back to the month of its creation', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization()
    const postId = await reserve(world, organizationId)
    await scheduled(world, organizationId, postId)
    await world.setClock(DECEMBER)
    await reserve(world, organizationId)
    await cancelled(world, organizationId, postId, DECEMBER)
    expect(await usedBy(world, organizationId)).toEqual({ '2026-12': 1 })
  })

  test('of a post nobody reserved count in the month of the creation', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization()
    await world.setClock(DECEMBER)
    await scheduled(world, organizationId, newId('post'), later(DECEMBER, -1))
    await scheduled(world, organizationId, newId('post'), DECEMBER)
    expect(await usedBy(world, organizationId)).toEqual({ '2026-11': 1, '2026-12': 1 })
  })

  test('of months that no longer matter change nothing, when a bus that lost all hears them again', async () => {
    await using world = await quotaWorld()
    const organizationId = world.organization()
    const postId = await reserve(world, organizationId)
    await scheduled(world, organizationId, postId)
    await world.setClock('2027-01-15T00:00:00.000Z')
    await sweepKnowing(world)
    await scheduled(world, organizationId, postId)
    const { rows } = await world.pool.query('select post_id from post_units')
    expect(rows).toEqual([])
  })
})

test('the sweep forgets the minutes of keys that are at rest, and of no others', async () => {
  await using world = await quotaWorld()
  const organizationId = world.organization({ requestsPerMinute: 60 })
  const [idle, busy] = [newId('key'), newId('key')]
  await world.handlers.admit({ requests: [{ keyId: idle, organizationId, count: 1 }] })
  await world.setClock(later(START, 61_001))
  await world.handlers.admit({ requests: [{ keyId: busy, organizationId, count: 1 }] })
  await sweepKnowing(world)
  const { rows } = await world.pool.query('select key_id from key_minutes')
  expect(rows).toEqual([{ key_id: busy }])
})
