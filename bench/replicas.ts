import { type Cluster } from '@herald/local/cluster/cluster'
import type { ReplicatedService } from '@herald/local/cluster/replica'
import { benchCluster } from './cluster-servers.ts'
import { ask } from './floor.ts'
import { measure } from './measure.ts'
import { waitForEnd } from './wait-for-end.ts'

/**
 * One, two and three processes of a service, one of each other: requests a second with 16 clients, or posts a second until
 * the last of a crowd is live. The figures are ratios to one process. On a machine with few cores all of them share those.
 */
const MOST = 3
const CLIENTS = 16
const SECONDS = Number(process.env.BENCH_SECONDS ?? 6)
const POSTS = Number(process.env.BENCH_POSTS ?? 200)

const WORK: Partial<Record<ReplicatedService, (cluster: Cluster) => Promise<number>>> = {
  gateway: perSecond(readMe),
  accounts: perSecond(({ accounts }) => accounts.listOrganizations({})),
  quota: perSecond(readMe),
  channels: perSecond((cluster) => get(cluster, '/channels')),
  media: perSecond(announceUpload),
  posts: perSecond(schedulePost),
  publisher: publishCrowd,
}

for (const [name, work] of Object.entries(WORK)) {
  const wanted = process.argv.slice(3)
  if (wanted.length > 0 && !wanted.includes(name)) continue
  await using cluster = await benchCluster({ env: { LOG_LEVEL: 'fatal' } })
  const figures: number[] = []
  for (let count = 1; count <= MOST; count++) {
    if (count > 1) await cluster.add(name as ReplicatedService)
    figures.push(await work(cluster))
  }
  const [one = Number.NaN] = figures
  const shown = figures.map(
    (figure, index) => `${index + 1}: ${figure.toFixed(0)}/s (${(figure / one).toFixed(2)})`,
  )
  console.log(`${name.padEnd(10)} ${shown.join('   ')}`)
}

function perSecond(work: (cluster: Cluster) => Promise<unknown>) {
  return async (cluster: Cluster) =>
    (await measure('', CLIENTS, SECONDS, () => work(cluster))).perSecond
}

function get({ apiUrl, demo }: Cluster, path: string): Promise<string> {
  return ask(`${apiUrl}/v1${path}`, { key: demo.apiKey, expect: 200 })
}

function post({ apiUrl, demo }: Cluster, path: string, body: unknown): Promise<string> {
  return ask(`${apiUrl}/v1${path}`, { method: 'POST', key: demo.apiKey, body, expect: 201 })
}

function readMe(cluster: Cluster): Promise<string> {
  return get(cluster, '/me')
}

function announceUpload(cluster: Cluster): Promise<string> {
  const body = { fileName: 'a.png', mimeType: 'image/png', fileSize: 100 }
  return post(cluster, '/media/uploads', body)
}

function schedulePost(cluster: Cluster): Promise<string> {
  return create(cluster, 86_400_000)
}

function create(cluster: Cluster, aheadMs: number): Promise<string> {
  const channelIds = cluster.demo.channels.map(({ id }) => id)
  const publishAt = new Date(Date.now() + aheadMs).toISOString()
  return post(cluster, '/posts', { content: crypto.randomUUID(), channelIds, publishAt })
}

/** Posts a second, from the due time of a crowd until its last one is live. */
async function publishCrowd(cluster: Cluster): Promise<number> {
  const dueAt = Date.now() + 30_000
  const ids: string[] = []
  while (ids.length < POSTS) {
    const some = Math.min(CLIENTS, POSTS - ids.length)
    const made = Array.from({ length: some }, () => create(cluster, dueAt - Date.now()))
    for (const text of await Promise.all(made)) ids.push(JSON.parse(text).id as string)
  }
  if (Date.now() > dueAt) throw new Error('Posts were due before all had been created.')
  const live: number[] = []
  for (const id of ids)
    for (const { publishedAt } of (await waitForEnd(cluster, id)).channels)
      if (publishedAt !== null) live.push(Date.parse(publishedAt))
  return POSTS / ((Math.max(...live) - dueAt) / 1000)
}
