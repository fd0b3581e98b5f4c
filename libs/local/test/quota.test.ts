import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { eventually } from '@herald/testing/eventually'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { uploadPicture } from './small-picture.ts'
import { ownerUrl } from './owner-url.ts'
import { testWorld, type World } from './world.ts'

/** Reservations run out and are looked at in fractions of a second. */
/** A call to a killed process is waited for until its deadline. */
const SLOW = { timeoutMs: 45_000 }
const QUICK = { RESERVATION_SECONDS: '1', SWEEP_SECONDS: '0.1' }

/** Asks a gateway directly, for what `world.call` leaves out. */
function request(world: World, url: string, path: string, body?: unknown, key = world.apiKey) {
  return fetch(`${url}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
}

/** Runs a statement in the database of the quota service. */
async function inQuota<Row extends pg.QueryResultRow>(world: World, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: ownerUrl(world.databaseUrls.quota) })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

const setClock = (world: World, at: string) =>
  inQuota(
    world,
    `create or replace function quota_now() returns timestamptz language sql volatile return timestamptz '${at}'`,
  )

async function usedPosts(world: World): Promise<number> {
  const [row] = await inQuota<{ used: string }>(world, 'select sum(used) as used from post_months')
  return Number(row?.used ?? 0)
}

const aPost = (world: World, content: string) => ({
  content,
  channelIds: [world.mastodon.id],
  publishAt: new Date(Date.now() + 3_600_000).toISOString(),
})

const statusesOf = (responses: Response[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(responses, ({ status }) => String(status))).map(
      ([status, all]) => [status, all?.length],
    ),
  )

describe('200 requests at once over two gateways', () => {
  test('36: get exactly what the minute of the key allows', async () => {
    await using world = await testWorld({ limits: { requestsPerMinute: 60 } })
    const urls = [world.apiUrl, await world.addGateway()]
    await setClock(world, '2026-11-21T07:00:00Z')
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, i) => request(world, urls[i % 2]!, '/me')),
    )
    expect(statusesOf(responses)).toEqual({ 200: 60, 429: 140 })
    const refused = responses.find(({ status }) => status === 429)!
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({
      error: { code: 'rate_limited', details: { resetsAt: '2026-11-21T07:00:01.000Z' } },
    })
    await setClock(world, '2026-11-21T07:00:01Z')
    expect((await request(world, world.apiUrl, '/me')).status).toBe(200)
  })

  test('37, 247, 250: get exactly what the month of the organization allows, and the next month begins anew', async () => {
    await using world = await testWorld({ limits: { requestsPerMonth: 100 } })
    const urls = [world.apiUrl, await world.addGateway()]
    const { organizationId } = world
    const other = await world.accounts.createKey({ organizationId, name: 'B', scopes: ['read'] })
    const keys = [world.apiKey, other.secret]
    await setClock(world, '2026-11-30T23:59:59.999Z')
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        request(world, urls[i % 2]!, '/nothing', undefined, keys[(i >> 1) % 2]),
      ),
    )
    expect(statusesOf(responses)).toEqual({ 404: 100, 429: 100 })
    const refused = await request(world, world.apiUrl, '/me')
    expect(await refused.json()).toMatchObject({
      error: { code: 'quota_exceeded', details: { resetsAt: '2026-12-01T00:00:00.000Z' } },
    })
    await setClock(world, '2026-12-01T00:00:00Z')
    const me = await request(world, world.apiUrl, '/me')
    expect(await me.json()).toMatchObject({
      quota: {
        requestsPerMinute: 2_147_483_647,
        requestsPerMonth: 100,
        usedThisMonth: 1,
        resetsAt: '2027-01-01T00:00:00.000Z',
      },
    })
  })

  test('are not used up by the bytes of an upload, which go past the API', async () => {
    await using world = await testWorld({ limits: { requestsPerMonth: 100 } })
    // Announced, completed, and this look itself; the PUT between them is not counted.
    await uploadPicture(world)
    const me = await request(world, world.apiUrl, '/me')
    expect(await me.json()).toMatchObject({ quota: { usedThisMonth: 3 } })
  })

  test('116: create exactly as many posts as the month allows', async () => {
    await using world = await testWorld({ limits: { postsPerMonth: 20 } })
    const urls = [world.apiUrl, await world.addGateway()]
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        request(world, urls[i % 2]!, '/posts', aPost(world, `Post ${i}`)),
      ),
    )
    expect(statusesOf(responses)).toEqual({ 201: 20, 409: 180 })
    const refused = responses.find(({ status }) => status === 409)!
    const now = new Date()
    expect(await refused.json()).toMatchObject({
      error: {
        code: 'limit_reached',
        details: {
          limit: 20,
          used: 20,
          resetsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString(),
        },
      },
    })
    await eventually(async () => {
      const states = await inQuota(world, 'select state, count(*)::int from post_units group by 1')
      expect(states).toEqual([{ state: 'counted', count: 20 }])
    })
  })
})

describe('the posts of a month', () => {
  test('come back when a scheduled post is cancelled, and not when a published one is removed', async () => {
    await using world = await testWorld({ limits: { postsPerMonth: 2 } })
    const scheduled = await world.create(aPost(world, 'Later'))
    const { id } = await world.create({ content: 'Now', channelIds: [world.mastodon.id] })
    await eventually(async () => expect((await world.get(id)).status).toBe('published'))
    expect((await world.call('DELETE', `/posts/${id}`)).status).toBe(200)
    expect((await world.call('POST', '/posts', aPost(world, 'A third'))).status).toBe(409)
    expect((await world.call('DELETE', `/posts/${scheduled.id}`)).status).toBe(200)
    await eventually(() => world.create(aPost(world, 'A third')))
    expect((await world.call('POST', '/posts', aPost(world, 'A fourth'))).status).toBe(409)
    expect(await usedPosts(world)).toBe(2)
  })

  test('are the same when NATS comes back empty and all events are heard again', async () => {
    await using world = await testWorld()
    const kept = await world.create(aPost(world, 'Kept'))
    const gone = await world.create(aPost(world, 'Gone'))
    await world.call('DELETE', `/posts/${gone.id}`)
    const expectStates = (states: Record<string, string>) =>
      eventually(async () => {
        const rows = await inQuota<{ post_id: string; state: string }>(
          world,
          'select post_id, state from post_units',
        )
        expect(Object.fromEntries(rows.map((row) => [row.post_id, row.state]))).toEqual(states)
      })
    await expectStates({ [kept.id]: 'counted', [gone.id]: 'cancelled' })
    await world.nats.kill()
    await rm(world.nats.dataDir, { recursive: true, force: true })
    await world.nats.start()
    // Its event comes behind those that come again.
    const last = await eventually(() => world.create(aPost(world, 'Last')))
    await expectStates({ [kept.id]: 'counted', [gone.id]: 'cancelled', [last.id]: 'counted' })
    expect(await usedPosts(world)).toBe(2)
  })

  test('are not taken by duplicates and by posts that are refused', async () => {
    await using world = await testWorld({ limits: { postsPerMonth: 5 } })
    await world.create(aPost(world, 'Once'))
    const body = { content: 'Twice', channelIds: [world.mastodon.id] }
    await world.create(body)
    for (let times = 0; times < 5; times++)
      expect((await world.call('POST', '/posts', body)).status).toBe(409)
    expect((await world.call('POST', '/posts', { ...body, content: '' })).status).toBe(422)
    expect(await usedPosts(world)).toBe(2)
  })

  test('come back when the posts service is killed between reserving and creating', async () => {
    await using world = await testWorld({
      limits: { postsPerMonth: 1 },
      processes: { posts: 0 },
      env: QUICK,
    })
    const doomed = world.spawn('posts', 'posts.before-append')
    const died = once(doomed, 'exit')
    await eventually(async () => {
      await world.call('POST', '/posts', aPost(world, 'Lost'))
      expect(doomed.signalCode).toBe('SIGKILL')
    }, SLOW)
    await died
    expect(await usedPosts(world)).toBe(1)
    world.spawn('posts')
    await eventually(async () => expect(await usedPosts(world)).toBe(0), SLOW)
    await world.create(aPost(world, 'Kept'))
  })

  test('stay taken when the posts service is killed right after creating, whatever becomes of the event', async () => {
    await using world = await testWorld({
      limits: { postsPerMonth: 1 },
      processes: { posts: 0 },
      env: QUICK,
    })
    const doomed = world.spawn('posts', 'posts.appended')
    const died = once(doomed, 'exit')
    await eventually(async () => {
      await world.call('POST', '/posts', aPost(world, 'Kept'))
      expect(doomed.signalCode).toBe('SIGKILL')
    })
    await died
    world.spawn('posts')
    await eventually(async () => {
      const states = await inQuota(world, 'select state from post_units')
      expect(states).toEqual([{ state: 'counted' }])
    })
    expect((await world.call('POST', '/posts', aPost(world, 'Another'))).status).toBe(409)
  })

  test('stay taken while NATS is away and no event comes', async () => {
    await using world = await testWorld({ limits: { postsPerMonth: 1 }, env: QUICK })
    await world.nats.kill()
    await world.create(aPost(world, 'Accepted'))
    await eventually(async () => {
      const states = await inQuota(world, 'select state from post_units')
      expect(states).toEqual([{ state: 'counted' }])
    })
    expect((await world.call('POST', '/posts', aPost(world, 'Another'))).status).toBe(409)
    await world.nats.start()
    await eventually(async () =>
      expect(await inQuota(world, 'select state, used::int from post_units, post_months')).toEqual([
        { state: 'counted', used: 1 },
      ]),
    )
  })
})

test('while the quota service is away reads go on and writes are 503; then limits hold again', async () => {
  await using world = await testWorld({ processes: { quota: 0 } })
  const read = await request(world, world.apiUrl, '/channels')
  expect([read.status, read.headers.get('ratelimit')]).toEqual([200, null])
  const write = await request(world, world.apiUrl, '/posts', aPost(world, 'Not now'))
  expect([write.status, write.headers.get('retry-after')]).toEqual([503, '1'])
  world.spawn('quota')
  await eventually(() => world.create(aPost(world, 'Now')))
  const counted = await request(world, world.apiUrl, '/channels')
  expect(counted.headers.get('ratelimit')).toMatch(/^"minute";r=\d+;t=\d+, "month";r=\d+;t=\d+$/)
})

test('a quota service that is killed under load comes back with what was used', async () => {
  await using world = await testWorld({
    limits: { requestsPerMonth: 1_000 },
    processes: { quota: 0 },
  })
  const first = world.spawn('quota')
  await eventually(async () => expect((await request(world, world.apiUrl, '/me')).status).toBe(200))
  const usedNow = async () => {
    const response = await request(world, world.apiUrl, '/me')
    const { quota } = (await response.json()) as { quota?: { usedThisMonth: number } }
    if (!quota) throw new Error(`Answered ${response.status}.`)
    return quota.usedThisMonth
  }
  for (let times = 0; times < 20; times++) await usedNow()
  const before = await usedNow()
  const died = once(first, 'exit')
  first.kill('SIGKILL')
  await died
  world.spawn('quota')
  expect(await eventually(usedNow)).toBeGreaterThan(before)
})
