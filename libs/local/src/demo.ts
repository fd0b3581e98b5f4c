import { Post } from '@herald/contracts/posts'
import { z } from 'zod'
import { dataFolder, findRunning, type RunFile } from './run-file.ts'
import { startStack } from './stack.ts'

const AHEAD_MS = 4_000
/** The exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130
const LONGEST_WAIT_MS = 60_000
/** Slow enough for the demo to be run again and again within the requests per minute of its plan. */
const LOOK_EVERY_MS = 500

const say = (line: string) => void process.stdout.write(`${line}\n`)

process.exitCode = await main()

/** Schedules a post to two channels, edits it, and waits until it is live exactly once on each. */
async function main(): Promise<number> {
  const folder = dataFolder(process.env)
  const running = await findRunning(folder)
  if (running) return demo(running)
  say('No Herald is running here, so one is started for the demo.')
  const interrupted = new Promise<number>((end) => process.once('SIGINT', () => end(INTERRUPTED)))
  const port = Number(process.env.PORT || 0)
  const stack = await startStack({ dataDir: folder, port, env: process.env, log: say })
  try {
    return await Promise.race([demo(stack.run), interrupted])
  } finally {
    await stack.close()
  }
}

async function demo(run: RunFile): Promise<number> {
  const publishAt = new Date(Date.now() + AHEAD_MS).toISOString()
  const text = `Hello from the Herald demo, written at ${new Date().toISOString()}`
  const created = await call(run, 'POST', '/posts', {
    content: `${text} (first version)`,
    channelIds: run.demo.channels.map(({ id }) => id),
    publishAt,
  })
  say(`${created.id} is ${created.status} for ${created.scheduledAt}.`)
  const edited = await call(run, 'PATCH', `/posts/${created.id}`, { content: text })
  say(`Edited. It says now: ${edited.content}`)
  const ended = await waitForEnd(run, created.id)
  for (const channel of ended.channels)
    say(
      channel.status === 'published'
        ? `${channel.platform} is live at ${channel.url}, ${channel.latenessMs} ms after its time.`
        : `${channel.platform} failed: ${channel.error}`,
    )
  const live = await countLive(run, text)
  const isOnce = ended.channels.every(({ platform }) => live.get(platform) === 1)
  say(isOnce ? 'Both channels have it exactly once.' : 'The sandbox does not have it exactly once.')
  return ended.status === 'published' && isOnce ? 0 : 1
}

async function waitForEnd(run: RunFile, id: string): Promise<Post> {
  const started = Date.now()
  let shown = ''
  for (;;) {
    const post = await call(run, 'GET', `/posts/${id}`)
    const state = [
      post.status,
      ...post.channels.map(({ platform, status }) => `${platform} ${status}`),
    ]
    if (state.join() !== shown) say(`${new Date().toISOString()}  ${state.join(', ')}`)
    shown = state.join()
    if (post.status === 'published' || post.status === 'failed') return post
    if (Date.now() - started > LONGEST_WAIT_MS) return post
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

async function countLive(run: RunFile, text: string): Promise<Map<string, number>> {
  const response = await fetch(`${run.sandboxUrl}/_/posts`, { signal: AbortSignal.timeout(10_000) })
  const { data } = z
    .object({ data: z.array(z.object({ platform: z.string(), text: z.string() })) })
    .parse(await response.json())
  const counts = new Map<string, number>()
  for (const entry of data)
    if (entry.text === text) counts.set(entry.platform, (counts.get(entry.platform) ?? 0) + 1)
  return counts
}

async function call(run: RunFile, method: string, path: string, body?: unknown): Promise<Post> {
  const response = await fetch(`${run.apiUrl}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${run.demo.apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(15_000),
  })
  const answer: unknown = await response.json()
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`)
  return Post.parse(answer)
}
