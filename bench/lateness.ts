import type { Post } from '@herald/contracts/posts'
import { ask } from './floor.ts'
import { percentiles } from './measure.ts'
import { stackProcess } from './stack-process.ts'
import { waitForEnd } from './wait-for-end.ts'

/** How late 100 posts are that are all due in the same second: from the due time to the first byte to the platform. */
const POSTS = 100
const AHEAD_MS = 5_000

await using stack = await stackProcess()
const { apiUrl, demo } = stack.run
const publishAt = new Date(Date.now() + AHEAD_MS).toISOString()
const ids = await Promise.all(
  Array.from({ length: POSTS }, async (_, index) => {
    const body = {
      content: `Post ${index} of the lateness bench`,
      channelIds: demo.channels.map(({ id }) => id),
      publishAt,
    }
    const text = await ask(`${apiUrl}/v1/posts`, {
      method: 'POST',
      key: demo.apiKey,
      body,
      expect: 201,
    })
    return (JSON.parse(text) as Post).id
  }),
)
const started = performance.now()
// One after the other: asking for all of them all the time would take the machine from what is measured.
const posts: Post[] = []
for (const id of ids) posts.push(await waitForEnd(stack.run, id))
const late = posts.flatMap(({ channels }) =>
  channels.map(({ latenessMs }) => latenessMs ?? Number.NaN),
)
const { p50, p99 } = percentiles(late)
console.log(`${POSTS} posts on ${demo.channels.length} channels each, due at the same moment`)
console.log(`live: ${posts.filter(({ status }) => status === 'published').length} of ${POSTS}`)
console.log(`lateness p50 ${p50} ms, p99 ${p99} ms, worst ${Math.max(...late)} ms`)
console.log(
  `all ended ${((performance.now() - started - AHEAD_MS) / 1000).toFixed(1)} s after the due time at the latest`,
)
