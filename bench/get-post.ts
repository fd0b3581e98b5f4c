import { ask, floorProcess } from './floor.ts'
import { compare, measure, report } from './measure.ts'
import { stackProcess } from './stack-process.ts'

/** `GET /v1/posts/{id}` with two channels, against the floor program reading one row. */
const WORKERS = 16
const SECONDS = 5

await using stack = await stackProcess()
await using floor = await floorProcess(stack.run)
const { apiUrl, demo } = stack.run
const body = {
  content: 'x'.repeat(280),
  channelIds: demo.channels.map(({ id }) => id),
  publishAt: new Date(Date.now() + 86_400_000).toISOString(),
}
const idOf = (text: string) => (JSON.parse(text) as { id: string }).id
const post = idOf(
  await ask(`${apiUrl}/v1/posts`, { method: 'POST', key: demo.apiKey, body, expect: 201 }),
)
const row = idOf(await ask(`${floor.url}/posts`, { method: 'POST', body, expect: 201 }))

report(
  await compare(3, [
    () =>
      measure('GET /v1/posts/{id}', WORKERS, SECONDS, () =>
        ask(`${apiUrl}/v1/posts/${post}`, { key: demo.apiKey, expect: 200 }),
      ),
    () =>
      measure('the floor', WORKERS, SECONDS, () =>
        ask(`${floor.url}/posts/${row}`, { expect: 200 }),
      ),
  ]),
)
