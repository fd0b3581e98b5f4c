import { createHerald, type Herald } from '@herald/client'
import type { Post } from '@herald/contracts/posts'
import { z } from 'zod'
import { DEMO_HEIGHT, DEMO_WIDTH, demoPicture } from './demo-picture.ts'
import { dataFolder, findRunning, type RunFile } from './run-file.ts'
import { startStack } from './stack.ts'

const AHEAD_MS = 4_000
/** The exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130
const LONGEST_WAIT_MS = 60_000
/** Slow enough for the demo to be run again and again within the requests per minute of its plan. */
const LOOK_EVERY_MS = 500

/** A post as the sandbox tells of it, with what it measured of its pictures. */
const LivePost = z.object({
  platform: z.string(),
  text: z.string(),
  media: z.array(
    z.object({
      mimeType: z.string(),
      sizeBytes: z.int(),
      width: z.int().nullable(),
      height: z.int().nullable(),
      altText: z.string().nullable(),
    }),
  ),
})
type LivePost = z.infer<typeof LivePost>

const say = (line: string) => void process.stdout.write(`${line}\n`)

process.exitCode = await main()

/** Schedules a post with a picture to two channels, edits it, and waits until it is live exactly once on each. */
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
  const herald = createHerald({ apiKey: run.demo.apiKey, baseUrl: `${run.apiUrl}/v1` })
  const picture = await herald.media.uploadFile(
    { data: new Uint8Array(demoPicture()), fileName: 'sunset.png', mimeType: 'image/png' },
    { altText: 'The sun sets behind three rows of hills' },
  )
  say(
    `${picture.id} is ${picture.status}: ${picture.width} x ${picture.height}, ${picture.sizeBytes} bytes, at ${picture.url}`,
  )
  const text = `Hello from the Herald demo, written at ${new Date().toISOString()}`
  const created = await herald.posts.create({
    content: `${text} (first version)`,
    channelIds: run.demo.channels.map(({ id }) => id),
    mediaIds: [picture.id],
    publishAt: new Date(Date.now() + AHEAD_MS).toISOString(),
  })
  say(`${created.id} is ${created.status} for ${created.scheduledAt}.`)
  const edited = await herald.posts.edit(created.id, { content: text })
  say(`Edited. It says now: ${edited.content}`)
  const ended = await waitForEnd(herald, created.id)
  for (const channel of ended.channels)
    say(
      channel.status === 'published'
        ? `${channel.platform} is live at ${channel.url}, ${channel.latenessMs} ms after its time.`
        : `${channel.platform} failed: ${channel.error}`,
    )
  const live = await findLive(run, text)
  const isOnce = ended.channels.every(
    ({ platform }) => live.filter((post) => post.platform === platform).length === 1,
  )
  say(isOnce ? 'Both channels have it exactly once.' : 'The sandbox does not have it exactly once.')
  const isWhole = await hasPicture(live)
  return ended.status === 'published' && isOnce && isWhole ? 0 : 1
}

async function waitForEnd(herald: Herald, id: string): Promise<Post> {
  const started = Date.now()
  let shown = ''
  for (;;) {
    const post = await herald.posts.get(id)
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

async function findLive(run: RunFile, text: string): Promise<LivePost[]> {
  const response = await fetch(`${run.sandboxUrl}/_/posts`, { signal: AbortSignal.timeout(10_000) })
  const { data } = z.object({ data: z.array(LivePost) }).parse(await response.json())
  return data.filter((post) => post.text === text)
}

/** Whether each platform has the picture, in its own proportions. The sandbox measures the bytes that it got. */
async function hasPicture(live: readonly LivePost[]): Promise<boolean> {
  const proportions = DEMO_WIDTH / DEMO_HEIGHT
  let isGood = true
  for (const { platform, media } of live) {
    const [picture, ...others] = media
    const { width, height } = picture ?? {}
    const isSame = width && height && Math.abs(width / height - proportions) < 0.01
    if (!picture || !isSame || others.length > 0) isGood = false
    if (picture)
      say(
        `${platform} has a picture of ${width} x ${height}, ${picture.mimeType}, ${picture.sizeBytes} bytes: "${picture.altText}"`,
      )
  }
  return isGood
}
