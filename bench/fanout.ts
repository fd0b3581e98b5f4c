import type { Post } from '@herald/contracts/posts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ask } from './floor.ts'
import { percentiles } from './measure.ts'
import { stackProcess } from './stack-process.ts'
import { waitForEnd } from './wait-for-end.ts'

/**
 * Many posts on several channels that are all due in the same second: how many go out a second, from the due time to the
 * last one that is live, and how late each is when the platform gets its first byte. The sandbox has no limits here.
 */
const POSTS = 1_000
const CHANNELS = 3
const CREATORS = 16
/** Creating takes long; nothing may be due before all is there. */
const AHEAD_MS = 120_000

await using stack = await stackProcess({ SANDBOX_RATE_LIMITS: 'off' })
const { apiUrl, demo } = stack.run
const channelIds = await channels()
const dueAt = Date.now() + AHEAD_MS
const ids = await createAll(new Date(dueAt).toISOString())
if (Date.now() > dueAt) throw new Error('Posts were due before all had been created.')
await new Promise((resolve) => setTimeout(resolve, dueAt - Date.now()))

const posts: Post[] = []
// One after the other: asking for all of them all the time would take the machine from what is measured.
for (const id of ids) posts.push(await waitForEnd(stack.run, id))
const sent = posts.flatMap(({ channels }) => channels)
const live = sent.flatMap(({ publishedAt }) =>
  publishedAt === null ? [] : [Date.parse(publishedAt)],
)
const seconds = (Math.max(...live) - dueAt) / 1000
const late = sent.flatMap(({ latenessMs }) => (latenessMs === null ? [] : [latenessMs]))
const { p50, p99 } = percentiles(late)
console.log(`${POSTS} posts on ${channelIds.length} channels each, due at the same moment`)
console.log(`live: ${live.length} of ${sent.length}`)
console.log(`all live after ${seconds.toFixed(1)} s: ${(POSTS / seconds).toFixed(0)} posts/s`)
console.log(`lateness p50 ${p50} ms, p99 ${p99} ms, worst ${Math.max(...late)} ms`)

/** The demo's channels, and further Mastodon accounts until there are enough. */
async function channels(): Promise<string[]> {
  const found = demo.channels.map(({ id }) => id).slice(0, CHANNELS)
  while (found.length < CHANNELS) found.push(await connectMastodon())
  return found
}

async function connectMastodon(): Promise<string> {
  const body = { platform: 'MASTODON' }
  const account = await ask(`${stack.run.sandboxUrl}/_/accounts`, {
    method: 'POST',
    body,
    expect: 201,
  })
  const { baseUrl, credentials } = JSON.parse(account)
  const script = new URL('../libs/local/src/cli/main.ts', import.meta.url).pathname
  const words = ['channel', 'connect', '--org', demo.organizationId, '--platform', 'MASTODON']
  const options = ['--base-url', baseUrl, '--credentials', JSON.stringify(credentials), '--json']
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...words, ...options], {
    env: { ...process.env, HERALD_DATA_DIR: stack.dataDir },
  })
  return JSON.parse(stdout).id
}

async function createAll(publishAt: string): Promise<string[]> {
  const created: string[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: CREATORS }, async () => {
      while (next < POSTS) {
        const content = `Post ${next++} of the fanout bench`
        const text = await ask(`${apiUrl}/v1/posts`, {
          method: 'POST',
          key: demo.apiKey,
          body: { content, channelIds, publishAt },
          expect: 201,
        })
        created.push((JSON.parse(text) as Post).id)
      }
    }),
  )
  return created
}
