import { ask, floorProcess } from './floor.ts'
import { compare, measure, report } from './measure.ts'
import { stackProcess } from './stack-process.ts'

/** `POST /v1/posts` to two channels, a day ahead, against the floor program inserting one row. */
const WORKERS = 16
const SECONDS = 5

await using stack = await stackProcess()
await using floor = await floorProcess(stack.run)
const { apiUrl, demo } = stack.run
const publishAt = new Date(Date.now() + 86_400_000).toISOString()
const channelIds = demo.channels.map(({ id }) => id)
let count = 0
const body = () => ({ content: `${(count += 1)} ${'x'.repeat(270)}`, channelIds, publishAt })

report(
  await compare(3, [
    () =>
      measure('POST /v1/posts', WORKERS, SECONDS, () =>
        ask(`${apiUrl}/v1/posts`, { method: 'POST', key: demo.apiKey, body: body(), expect: 201 }),
      ),
    () =>
      measure('the floor', WORKERS, SECONDS, () =>
        ask(`${floor.url}/posts`, { method: 'POST', body: body(), expect: 201 }),
      ),
  ]),
)
