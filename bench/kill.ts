import { type Cluster, REPLICATED_SERVICES } from '@herald/local/cluster/cluster'
import type { ReplicatedService } from '@herald/local/cluster/replica'
import { startLoad } from '@herald/local/cluster/steady-load'
import { benchCluster } from './cluster-servers.ts'
import { ask } from './floor.ts'
import { publishedOnce } from './published-once.ts'
import { waitForEnd } from './wait-for-end.ts'

/**
 * `kill -9` of each service while requests come. With one process, which is started again at once: the time from the kill
 * to the first good answer of what the service does. With two: what clients see of it.
 */
const PER_SECOND = Number(process.env.BENCH_PER_SECOND ?? 20)
const TRY_EVERY_MS = 100
const GIVE_UP_MS = 60_000
const LOOK_FOR_MS = 8_000

await withOne()
await withTwo()

async function withOne(): Promise<void> {
  await using cluster = await benchCluster({ env: { LOG_LEVEL: 'fatal' } })
  const load = await startLoad(loadOf(cluster))
  const deeds = deedsOf(cluster)
  for (const name of REPLICATED_SERVICES) {
    await deeds[name]()
    await cluster.killOldest(name)
    const killedAt = performance.now()
    const starting = cluster.add(name)
    await firstGood(deeds[name])
    console.log(
      `${name.padEnd(10)} works again after ${((performance.now() - killedAt) / 1000).toFixed(1)} s`,
    )
    await starting
  }
  await tellEnd(cluster, (await load.stop()).postIds)
}

async function withTwo(): Promise<void> {
  const replicas = Object.fromEntries(REPLICATED_SERVICES.map((name) => [name, 2]))
  await using cluster = await benchCluster({ replicas, env: { LOG_LEVEL: 'fatal' } })
  const load = await startLoad(loadOf(cluster))
  for (const name of REPLICATED_SERVICES) {
    const seen = load.answers.length
    await cluster.killOldest(name)
    await new Promise((resolve) => setTimeout(resolve, LOOK_FOR_MS))
    const answers = load.answers.slice(seen)
    const failed = answers.filter(({ isAsWanted }) => !isAsWanted)
    const slowest = Math.max(...answers.map(({ tookMs }) => tookMs))
    console.log(
      `${name.padEnd(10)} one of two: ${failed.length} of ${answers.length} answers not as wanted, the slowest took ${slowest.toFixed(0)} ms`,
    )
    await cluster.add(name)
  }
  await tellEnd(cluster, (await load.stop()).postIds)
}

function loadOf({ apiUrl, demo }: Cluster) {
  const channelIds = demo.channels.map(({ id }) => id)
  return { apiUrl, apiKey: demo.apiKey, channelIds, perSecond: PER_SECOND }
}

/** What each service is there for, once. */
function deedsOf(cluster: Cluster): Record<ReplicatedService, () => Promise<unknown>> {
  const { apiUrl, demo } = cluster
  const { apiKey: key } = demo
  const get = (path: string) => ask(`${apiUrl}/v1${path}`, { key, expect: 200 })
  const post = (path: string, body: unknown) =>
    ask(`${apiUrl}/v1${path}`, { method: 'POST', key, body, expect: 201 })
  const channelIds = demo.channels.map(({ id }) => id)
  let count = 0
  const create = (ahead = 0) => {
    const publishAt = new Date(Date.now() + ahead).toISOString()
    return post('/posts', { content: `killed ${(count += 1)}`, channelIds, publishAt })
  }
  const aDay = 86_400_000
  return {
    accounts: () => cluster.accounts.listOrganizations({}),
    quota: () => create(aDay),
    channels: () => get('/channels'),
    media: () =>
      post('/media/uploads', { fileName: 'a.png', mimeType: 'image/png', fileSize: 100 }),
    posts: () => create(aDay),
    publisher: async () => waitForEnd(cluster, JSON.parse(await create()).id),
    gateway: () => get('/me'),
  }
}

/** Tries again and again, without waiting for the tries before; resolves with the first that goes well. */
async function firstGood(deed: () => Promise<unknown>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const trying = setInterval(
    () =>
      void deed().then(
        () => resolve(),
        () => undefined,
      ),
    TRY_EVERY_MS,
  )
  const giveUp = setTimeout(() => reject(new Error('It does not work again.')), GIVE_UP_MS)
  await promise.finally(() => (clearInterval(trying), clearTimeout(giveUp)))
}

async function tellEnd(cluster: Cluster, postIds: string[]): Promise<void> {
  const { missing, doubled } = await publishedOnce(cluster, postIds)
  console.log(`${postIds.length} posts: ${missing} not live, ${doubled} live twice somewhere`)
}
