import { REPLICATED_SERVICES } from '@herald/local/cluster/cluster'
import { startLoad } from '@herald/local/cluster/steady-load'
import { benchCluster } from './cluster-servers.ts'
import { percentiles } from './measure.ts'
import { publishedOnce } from './published-once.ts'

/** Two processes of every service; each process is replaced, one after the other, while 50 requests a second come. */
const PER_SECOND = Number(process.env.BENCH_PER_SECOND ?? 50)
const REPLICAS = 2

const replicas = Object.fromEntries(REPLICATED_SERVICES.map((name) => [name, REPLICAS]))
await using cluster = await benchCluster({ replicas })
const { apiUrl, demo } = cluster
const channelIds = demo.channels.map(({ id }) => id)
const load = await startLoad({ apiUrl, apiKey: demo.apiKey, channelIds, perSecond: PER_SECOND })
for (const name of REPLICATED_SERVICES) {
  const seen = load.answers.length
  const codes: (number | null)[] = []
  const startedAt = performance.now()
  for (let index = 0; index < REPLICAS; index++) {
    await cluster.add(name)
    codes.push(await cluster.stopOldest(name))
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const answers = load.answers.slice(seen)
  const failed = answers.filter(({ isAsWanted }) => !isAsWanted)
  const { p50, p99 } = percentiles(answers.map(({ tookMs }) => tookMs))
  console.log(
    `${name.padEnd(10)} ${seconds} s, exit codes ${codes.join(' ')}: ${answers.length} answers, ${failed.length} not as wanted, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
  )
}
const { answers, failures, postIds } = await load.stop()
console.log(`${answers.length} requests, ${failures.length} of them not answered as wanted`)
for (const { name, outcome, atMs, tookMs } of failures.slice(0, 20))
  console.log(
    `  ${name}: ${outcome} at ${(atMs / 1000).toFixed(1)} s after ${tookMs.toFixed(0)} ms`,
  )
const { late, doubled, missing } = await publishedOnce(cluster, postIds)
console.log(`${postIds.length} posts: ${missing} not live, ${doubled} live twice somewhere`)
const { p50, p99 } = percentiles(late)
console.log(`lateness p50 ${p50} ms, p99 ${p99} ms, worst ${Math.max(...late)} ms`)
