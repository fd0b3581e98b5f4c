import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type CloudEvent, EVENTS_STREAM } from '@herald/contracts/events'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, headers } from '@nats-io/transport-node'
import { eventually } from '@herald/testing/eventually'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, test as base } from 'vitest'
import { killChild, testWorld, type World } from '../../libs/local/test/world.ts'
import { LANGUAGES } from './languages.ts'

type Example = { lines: string[]; child: ChildProcess }

const test = base.extend<{ world: World }>({
  world: [
    async ({}, use) => {
      await using world = await testWorld()
      await use(world)
    },
    { scope: 'file' },
  ],
})

// Several processes start and end in each test.
const PATIENCE = { timeout: 180_000 }

const folder = temporaryFolder()
const started: ChildProcess[] = []
afterAll(async () => {
  await Promise.all(started.map(killChild))
  folder[Symbol.dispose]()
})

/** Runs an example as its reader would. `lines` grows with what it prints. */
function runExample(natsUrl: string, durable: string, command: string[]): Example {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    env: { ...process.env, NATS_URL: natsUrl, DURABLE: durable },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
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
  await eventually(() => expect(typesOf(example, id)).toEqual(WHOLE), { timeoutMs: 60_000 })
  return id
}

/** Sends the events of a post again, as after a purge: the same bodies, with other ids of the messages. */
async function publishAgain(world: World, postId: string): Promise<void> {
  const connection = await connect({ servers: world.nats.url })
  const { streams } = await jetstreamManager(connection)
  const { state } = await streams.info(EVENTS_STREAM)
  for (let seq = 1; seq <= state.last_seq; seq++) {
    const message = await streams.getMessage(EVENTS_STREAM, { seq })
    if (message?.json<CloudEvent>().subject !== postId) continue
    const fields = headers()
    fields.set('Nats-Msg-Id', `${crypto.randomUUID()}~1`)
    await connection.request(message.subject, message.data, { headers: fields, timeout: 30_000 })
  }
  await connection.close()
}

describe.for(Object.entries(LANGUAGES))('the example in %s', ([language, find]) => {
  const runner = find(folder.path)
  const durable = `team-${language.toLowerCase()}`
  const command = 'command' in runner ? runner.command : []
  // What is missing stands in the title of what is skipped.
  const why = 'missing' in runner ? ` (skipped: there is no ${runner.missing})` : ''
  const run = (world: World) => runExample(world.nats.url, durable, command)
  let example: Example

  beforeAll(() => {
    if ('missing' in runner) process.stdout.write(`${language}: skipped, no ${runner.missing}\n`)
  })

  test.skipIf(why)(
    `prints the events of a post once, in their order${why}`,
    PATIENCE,
    async ({ world }) => {
      example = run(world)
      const id = await publishOne(world, example)
      const sequences = example.lines
        .filter((line) => line.startsWith(id))
        .map((line) => Number(line.split(' ')[1]))
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
      expect(new Set(sequences).size).toBe(WHOLE.length)
    },
  )

  test.skipIf(why)(`prints an event once that comes again${why}`, PATIENCE, async ({ world }) => {
    const id = await publishOne(world, example)
    await publishAgain(world, id)
    await publishOne(world, example)
    expect(typesOf(example, id)).toEqual(WHOLE)
  })

  test.skipIf(why)(`goes on after NATS was away${why}`, PATIENCE, async ({ world }) => {
    await world.nats.stop()
    await world.nats.start()
    const id = await publishOne(world, example)
    expect(typesOf(example, id)).toEqual(WHOLE)
  })

  test.skipIf(why)(
    `ends at Ctrl-C, and the next run goes on where it was${why}`,
    PATIENCE,
    async ({ world }) => {
      const ended = once(example.child, 'exit')
      example.child.kill('SIGINT')
      expect(await ended).toEqual([0, null])
      const next = run(world)
      const id = await publishOne(world, next)
      expect(next.lines.filter((line) => !line.startsWith(id))).toEqual([])
      await killChild(next.child)
    },
  )
})
