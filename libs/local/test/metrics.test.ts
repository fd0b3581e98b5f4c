import { eventSubject } from '@herald/contracts/events'
import { POST_EVENT_ACTIONS } from '@herald/contracts/post-events'
import { eventually } from '@herald/testing/eventually'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { describe, expect, test as base } from 'vitest'
import { freePorts } from '../src/free-port.ts'
import { ownerUrl } from './owner-url.ts'
import { pick, type Sample, scrape, sum } from './scrape.ts'
import { testWorld, type World } from './world.ts'

const SLOW = { timeoutMs: 45_000 }
const SERVICES = ['gateway', 'accounts', 'quota', 'channels', 'media', 'posts', 'publisher']

type Watched = World & {
  /** What a process of a service measures; the first one unless said otherwise. */
  measured: (service: string, index?: number) => Promise<Sample[]>
}

/** Every service as a process of its own, as in production. */
async function watchedWorld(): Promise<Watched> {
  const free = await freePorts(2 * SERVICES.length)
  const ports = new Map(SERVICES.map((name, i) => [name, free.slice(2 * i, 2 * i + 2)]))
  const started = new Map<string, number>()
  const world = await testWorld({
    processes: { accounts: 1, quota: 1, channels: 1, media: 1, posts: 1, publisher: 1 },
    gatewayProcess: true,
    limits: { requestsPerMinute: 300, postsPerMonth: 20 },
    envOf: (name) => {
      const index = started.get(name) ?? 0
      started.set(name, index + 1)
      return { METRICS_PORT: String(ports.get(name)?.[index]) }
    },
  })
  return {
    ...world,
    measured: (service, index = 0) => scrape(ports.get(service)?.[index] ?? 0),
  }
}

const test = base.extend<{ world: Watched }>({
  world: [
    async ({}, use) => {
      await using world = await watchedWorld()
      await use(world)
    },
    { scope: 'file' },
  ],
})

let count = 0
const text = () => `Post ${(count += 1)} of ${process.pid}`
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

async function published(world: World, id: string): Promise<void> {
  await eventually(async () => expect((await world.get(id)).status).toBe('published'), SLOW)
}

/** Waits until a service measures what is expected. */
async function expectMeasured(
  world: Watched,
  service: string,
  check: (samples: Sample[]) => void,
): Promise<void> {
  await eventually(async () => check(await world.measured(service)), { ...SLOW, intervalMs: 100 })
}

async function inDatabase(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl(url) })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

// The first test waits for the processes as well.
test(
  'every process says of every metric which service it is',
  { timeout: 240_000 },
  async ({ world }) => {
    for (const service of SERVICES)
      await expectMeasured(world, service, (samples) => {
        expect(samples.length).toBeGreaterThan(0)
        expect(new Set(samples.map(({ labels }) => labels['service']))).toEqual(new Set([service]))
      })
  },
)

test('every process measures how late it comes to its events, and whether it reaches what it needs', async ({
  world,
}) => {
  for (const service of SERVICES)
    await expectMeasured(world, service, (samples) => {
      expect(
        sum(samples, 'herald_event_loop_delay_seconds', { quantile: '0.99' }),
      ).toBeGreaterThanOrEqual(0)
      expect(sum(samples, 'herald_dependency_ready', { dependency: 'nats' })).toBe(1)
      const postgres = pick(samples, 'herald_dependency_ready', { dependency: 'postgres' })
      expect(postgres.map(({ value }) => value)).toEqual(service === 'gateway' ? [] : [1])
      const connections = sum(samples, 'herald_database_connections')
      if (service !== 'gateway') expect(connections).toBeGreaterThan(0)
    })
})

describe('a request', () => {
  const REQUESTS = 'herald_http_server_request_duration_seconds_count'

  test('is measured by the template of its route, and on both ends of the calls it makes', async ({
    world,
  }) => {
    const post = await world.create({
      content: text(),
      channelIds: [world.mastodon.id],
      publishAt: inAnHour(),
    })
    await world.get(post.id)
    await expectMeasured(world, 'gateway', (samples) => {
      const create = { http_request_method: 'POST', http_route: '/v1/posts' }
      expect(sum(samples, REQUESTS, { ...create, http_response_status_code: '201' })).toBe(1)
      const get = { http_request_method: 'GET', http_route: '/v1/posts/{id}' }
      expect(sum(samples, REQUESTS, { ...get, http_response_status_code: '200' })).toBe(1)
      const call = { rpc_service: 'posts', rpc_method: 'create', outcome: 'ok' }
      expect(sum(samples, 'herald_rpc_client_duration_seconds_count', call)).toBe(1)
    })
    await expectMeasured(world, 'posts', (samples) => {
      const call = { rpc_service: 'posts', rpc_method: 'create', outcome: 'ok' }
      expect(sum(samples, 'herald_rpc_server_duration_seconds_count', call)).toBe(1)
    })
  })

  test('that is refused by a service is no failure of the call', async ({ world }) => {
    const channelIds = [world.mastodon.id]
    const post = await world.create({ content: text(), channelIds, publishAt: inAnHour() })
    expect((await world.call('DELETE', `/posts/${post.id}`)).status).toBe(200)
    expect((await world.call('GET', `/posts/${post.id}`)).status).toBe(404)
    await expectMeasured(world, 'posts', (samples) => {
      const call = { rpc_service: 'posts', rpc_method: 'get' }
      const count = 'herald_rpc_server_duration_seconds_count'
      expect(sum(samples, count, { ...call, outcome: 'refused' })).toBe(1)
      expect(sum(samples, count, { ...call, outcome: 'failed' })).toBeUndefined()
    })
  })

  test('to an unknown path leaves nothing of the path in a label', async ({ world }) => {
    await fetch(`${world.apiUrl}/v1/canary-7f3a/secret?key=canary-7f3a`)
    await expectMeasured(world, 'gateway', (samples) => {
      expect(sum(samples, REQUESTS, { http_route: 'unknown' })).toBe(1)
      expect(JSON.stringify(samples)).not.toContain('canary')
    })
  })

  test('for health is not counted', async ({ world }) => {
    await fetch(`${world.apiUrl}/healthz`)
    const samples = await world.measured('gateway')
    expect(samples.filter(({ labels }) => labels['http_route']?.includes('health'))).toEqual([])
  })
})

describe('publishing', () => {
  test('measures the lateness and the outcome of each channel, and the event that began it', async ({
    world,
  }) => {
    const channelIds = [world.mastodon.id, world.bluesky.id]
    const post = await world.create({ content: text(), channelIds })
    await published(world, post.id)
    await expectMeasured(world, 'publisher', (samples) => {
      for (const platform of ['MASTODON', 'BLUESKY']) {
        const outcome = { platform, outcome: 'published' }
        expect(sum(samples, 'herald_publish_outcomes_total', outcome)).toBe(1)
        expect(sum(samples, 'herald_publish_lateness_seconds_count', { platform })).toBe(1)
        const inTime = { platform, le: '60' }
        expect(sum(samples, 'herald_publish_lateness_seconds_bucket', inTime)).toBe(1)
      }
      const handled = { consumer: 'publisher', outcome: 'ok' }
      expect(sum(samples, 'herald_event_duration_seconds_count', handled)).toBeGreaterThan(0)
      expect(sum(samples, 'herald_consumer_pending_events', { consumer: 'publisher' })).toBe(0)
      expect(sum(samples, 'herald_attempts')).toBe(0)
    })
  })

  test('counts a call of unknown outcome, and its end once it is found live', async ({ world }) => {
    await world.sandbox.fault({ platform: 'MASTODON', kind: 'drop_after', times: 1 })
    const before = sum(await world.measured('publisher'), 'herald_publish_outcomes_total') ?? 0
    const post = await world.create({ content: text(), channelIds: [world.mastodon.id] })
    await published(world, post.id)
    await expectMeasured(world, 'publisher', (samples) => {
      expect(sum(samples, 'herald_publish_unknown_total', { platform: 'MASTODON' })).toBe(1)
      expect(sum(samples, 'herald_publish_outcomes_total')).toBe(before + 1)
    })
  })

  test('counts what a platform refuses', async ({ world }) => {
    const { platform, account } = world.bluesky
    await world.sandbox.revoke({ platform, account })
    const post = await world.create({ content: text(), channelIds: [world.bluesky.id] })
    await eventually(async () => expect((await world.get(post.id)).status).toBe('failed'), SLOW)
    await expectMeasured(world, 'publisher', (samples) => {
      const outcome = { platform: 'BLUESKY', outcome: 'rejected' }
      expect(sum(samples, 'herald_publish_outcomes_total', outcome)).toBe(1)
    })
  })

  test('measures the attempts that wait, by their state', async ({ world }) => {
    await world.sandbox.fault({ platform: 'MASTODON', kind: 'rate_limit', times: 3 })
    await world.create({ content: text(), channelIds: [world.mastodon.id] })
    await expectMeasured(world, 'publisher', (samples) => {
      expect(sum(samples, 'herald_attempts', { state: 'claimed' })).toBe(1)
    })
  })
})

test('a message that is no event is counted as a dead letter', async ({ world }) => {
  const connection = await connect({ servers: world.nats.url })
  connection.publish(eventSubject('post', 'x', POST_EVENT_ACTIONS.PublishStarted), 'nonsense')
  await connection.drain()
  await expectMeasured(world, 'publisher', (samples) => {
    expect(sum(samples, 'herald_dead_letters_total', { consumer: 'publisher' })).toBe(1)
  })
})

test('read models that differ from their events are measured', async ({ world }) => {
  await expectMeasured(world, 'posts', (samples) => {
    expect(sum(samples, 'herald_projection_mismatches')).toBe(0)
  })
  const post = await world.create({
    content: text(),
    channelIds: [world.mastodon.id],
    publishAt: inAnHour(),
  })
  const sql = (content: string) => `update posts set content = '${content}' where id = '${post.id}'`
  await inDatabase(world.databaseUrls.posts, sql('Not what was written.'))
  // A process looks when it starts, and then again and again.
  world.spawn('posts')
  await eventually(async () => {
    expect(sum(await world.measured('posts', 1), 'herald_projection_mismatches')).toBe(1)
  }, SLOW)
  await inDatabase(world.databaseUrls.posts, sql(post.content))
})

test('a post that is due and not begun is measured as overdue', async ({ world }) => {
  const post = await world.create({
    content: text(),
    channelIds: [world.mastodon.id],
    publishAt: inAnHour(),
  })
  // A row that the scheduler passes over, as if nobody came to it.
  await inDatabase(
    world.databaseUrls.posts,
    `update due set publish_at = now() - interval '2 minutes', version = 99 where post_id = '${post.id}'`,
  )
  await expectMeasured(world, 'posts', (samples) => {
    expect(sum(samples, 'herald_posts_overdue')).toBe(1)
  })
})

test('events that cannot reach NATS are measured by their number and age', async ({ world }) => {
  await world.nats.stop()
  await expectMeasured(world, 'posts', (samples) => {
    expect(sum(samples, 'herald_dependency_ready', { dependency: 'nats' })).toBe(0)
    expect(sum(samples, 'herald_dependency_ready', { dependency: 'postgres' })).toBe(1)
  })
  await world.create({ content: text(), channelIds: [world.mastodon.id], publishAt: inAnHour() })
  await expectMeasured(world, 'posts', (samples) => {
    expect(sum(samples, 'herald_outbox_waiting_events')).toBeGreaterThan(0)
    expect(sum(samples, 'herald_outbox_oldest_age_seconds')).toBeGreaterThan(0)
  })
  await world.nats.start()
  await expectMeasured(world, 'posts', (samples) => {
    expect(sum(samples, 'herald_outbox_waiting_events')).toBe(0)
    expect(sum(samples, 'herald_outbox_oldest_age_seconds')).toBe(0)
  })
})

test('what the limits of a plan refuse is counted by the limit', async ({ world }) => {
  const create = () =>
    world.call('POST', '/posts', {
      content: text(),
      channelIds: [world.mastodon.id],
      publishAt: inAnHour(),
    })
  for (let status = 201, tries = 0; status === 201 && tries < 30; tries++)
    ({ status } = await create())
  await Promise.all(Array.from({ length: 400 }, () => world.call('GET', '/me')))
  await expectMeasured(world, 'quota', (samples) => {
    const of = (limit: string) => sum(samples, 'herald_quota_refusals_total', { limit })
    expect(of('posts_per_month')).toBe(1)
    expect(of('requests_per_minute')).toBeGreaterThan(0)
  })
})

test('what goes on uncounted and what is refused while the quota service is away is counted', async ({
  world,
}) => {
  await world.kill('quota')
  const statuses = [(await world.call('GET', '/channels')).status]
  statuses.push((await world.call('POST', '/posts/validate', {})).status)
  expect(statuses).toEqual([200, 503])
  await expectMeasured(world, 'gateway', (samples) => {
    const answered = (answer: string) =>
      sum(samples, 'herald_quota_outage_requests_total', { answer })
    expect(sum(samples, 'herald_quota_outages_total')).toBe(1)
    expect(answered('let_through')).toBe(1)
    expect(answered('refused')).toBe(1)
  })
})
