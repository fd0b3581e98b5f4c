import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connect, headers } from '@nats-io/transport-node'
import { eventually } from '@herald/testing/eventually'
import { expect, test as base } from 'vitest'
import { killChild, testWorld, type World } from '../../libs/local/test/world.ts'

type Example = { lines: string[]; child: ChildProcess }

const test = base.extend<{ world: World; example: Example }>({
  world: [
    async ({}, use) => {
      await using world = await testWorld()
      await use(world)
    },
    { scope: 'file' },
  ],
  example: [
    async ({ world }, use) => {
      const example = runExample(world.nats.url)
      await use(example)
      await killChild(example.child)
    },
    { scope: 'file' },
  ],
})

/** Runs the example as its reader would. `lines` grows with what it prints. */
function runExample(natsUrl: string): Example {
  const program = fileURLToPath(new URL('consume-events.ts', import.meta.url))
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, NATS_URL: natsUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  return { lines, child }
}

/** The types of a post's events, as the example printed them. */
function typesOf(example: Example, postId: string): string[] {
  return example.lines.flatMap((line) => {
    const [id, , type = ''] = line.split(' ')
    return id === postId ? [type] : []
  })
}

const WHOLE = ['PostScheduled', 'PublishStarted', 'ChannelPublished', 'PostPublished']

async function publishOne(world: World, example: Example): Promise<string> {
  const { id } = await world.create({
    content: `An event, please: ${crypto.randomUUID()}`,
    channelIds: [world.mastodon.id],
  })
  await eventually(() => expect(typesOf(example, id)).toEqual(WHOLE), { timeoutMs: 30_000 })
  return id
}

test('the example prints the events of a post in their order', async ({ world, example }) => {
  const id = await publishOne(world, example)
  const sequences = example.lines
    .filter((line) => line.startsWith(id))
    .map((line) => line.split(' ')[1])
  expect(sequences.map(Number)).toEqual(sequences.map(Number).toSorted((a, b) => a - b))
})

test('the example prints an event once that comes again', async ({ world, example }) => {
  const connection = await connect({ servers: world.nats.url })
  const received: { subject: string; body: string; type: string }[] = []
  const subscription = connection.subscribe('herald.events.v1.post.>', {
    callback: (_, message) => {
      const body = message.string()
      received.push({ subject: message.subject, body, type: JSON.parse(body).type })
    },
  })
  await connection.flush()
  const id = await publishOne(world, example)
  await eventually(() => expect(received).toHaveLength(WHOLE.length))
  // As after a purge: the same bodies, with other ids of the messages.
  for (const { subject, body } of received.slice()) {
    const fields = headers()
    fields.set('Nats-Msg-Id', `${JSON.parse(body).id}~1`)
    await connection.request(subject, body, { headers: fields, timeout: 5_000 })
  }
  subscription.unsubscribe()
  await connection.close()
  await publishOne(world, example)
  expect(typesOf(example, id)).toEqual(WHOLE)
})

test('the example ends at Ctrl-C, and the next run goes on where it was', async ({
  world,
  example,
}) => {
  await publishOne(world, example)
  example.child.kill('SIGINT')
  expect(await once(example.child, 'exit')).toEqual([0, null])
  const next = runExample(world.nats.url)
  const id = await publishOne(world, next)
  expect(next.lines.filter((line) => !line.startsWith(id))).toEqual([])
  await killChild(next.child)
})
