import { ask } from './floor.ts'
import { compare, type Measured, measure, report } from './measure.ts'
import { stackProcess } from './stack-process.ts'

/** What counting each request costs: `GET /v1/posts/{id}` and `POST /v1/posts` with it, against a stack without. */
const WORKERS = 16
const SECONDS = 5
const ROUNDS = 5

type Stack = Awaited<ReturnType<typeof stackProcess>>

const preload = new URL('without-admission.ts', import.meta.url).href
await using counting = await stackProcess()
await using free = await stackProcess({ NODE_OPTIONS: `--import ${preload}` })

report(
  await compare(ROUNDS, [
    await reading('GET, counted', counting),
    await reading('GET, not counted', free),
  ]),
)
report(
  await compare(ROUNDS, [creating('POST, counted', counting), creating('POST, not counted', free)]),
)

async function reading(name: string, { run }: Stack): Promise<() => Promise<Measured>> {
  const answer = await ask(`${run.apiUrl}/v1/posts`, {
    method: 'POST',
    key: run.demo.apiKey,
    body: bodyFor({ run }, 'first'),
    expect: 201,
  })
  const { id } = JSON.parse(answer) as { id: string }
  const url = `${run.apiUrl}/v1/posts/${id}`
  return () =>
    measure(name, WORKERS, SECONDS, () => ask(url, { key: run.demo.apiKey, expect: 200 }))
}

function creating(name: string, { run }: Stack): () => Promise<Measured> {
  let count = 0
  const create = () => {
    const body = bodyFor({ run }, String((count += 1)))
    return ask(`${run.apiUrl}/v1/posts`, {
      method: 'POST',
      key: run.demo.apiKey,
      body,
      expect: 201,
    })
  }
  return () => measure(name, WORKERS, SECONDS, create)
}

function bodyFor({ run }: Pick<Stack, 'run'>, content: string) {
  return {
    content: `${content} ${'x'.repeat(270)}`,
    channelIds: run.demo.channels.map(({ id }) => id),
    publishAt: new Date(Date.now() + 86_400_000).toISOString(),
  }
}
