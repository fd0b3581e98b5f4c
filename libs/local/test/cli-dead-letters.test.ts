import { type CloudEvent, EVENTS_STREAM, eventSubject } from '@herald/contracts/events'
import { newId } from '@herald/contracts/ids'
import { connectBus } from '@herald/service/bus'
import { ensureStreams } from '@herald/service/jetstream'
import { createLogger } from '@herald/service/logger'
import { startService } from '@herald/service/start-service'
import { testNats } from '@herald/testing/nats'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { jetstream } from '@nats-io/jetstream'
import { connect, headers, type NatsConnection } from '@nats-io/transport-node'
import { expect, test as base } from 'vitest'
import { type Ended, runProgram } from './programs.ts'

type Letters = {
  /** Puts a letter into the stream, as the consumer would, and answers its number. */
  put: (consumer: string, body: string, reason: string) => Promise<string>
  herald: (line: string) => Promise<Ended>
  /** With `--json`: what was printed, whatever the exit code. */
  json: (line: string) => Promise<{ code: number | null; value: unknown }>
}

const test = base.extend<{ letters: Letters }>({
  letters: [
    async ({}, use) => {
      await using stack = new AsyncDisposableStack()
      const { url } = stack.use(await testNats())
      await startConsumers(stack, url, ['library', 'counter'])
      const folder = stack.use(temporaryFolder())
      const connection = await connect({ servers: url })
      const env = { NATS_URL: url }
      const herald = (line: string) =>
        runProgram('cli/main.ts', ['dead-letters', ...line.split(' ')], folder.path, env).ended
      await use({
        put: (...letter) => put(connection, ...letter),
        herald,
        async json(line) {
          const { code, stdout, stderr } = await herald(`${line} --json`)
          if (stderr !== '') throw new Error(stderr)
          return { code, value: JSON.parse(stdout) }
        },
      })
      await connection.close()
    },
    { scope: 'file' },
  ],
})

/** Consumers that take whatever is an event. */
async function startConsumers(stack: AsyncDisposableStack, natsUrl: string, durables: string[]) {
  const logger = createLogger({ service: 'test', level: 'silent' })
  const bus = connectBus({ natsUrl, name: 'test', logger })
  stack.defer(bus.close)
  const service = await startService({
    name: 'consuming',
    config: { INTERNAL_HOST: '127.0.0.1', INTERNAL_PORT: 0, RPC_SECRET: 'a secret of this test' },
    natsWaitMs: 30_000,
    bus,
    logger,
    consumers: durables.map((durable) => ({
      stream: EVENTS_STREAM,
      durable,
      filterSubject: eventSubject('post', '*', '*'),
      concurrency: 4,
      ackWaitMs: 30_000,
      maxDeliver: 1,
      backoffMs: [10],
      handle: async () => {},
    })),
  })
  stack.defer(service.close)
  await ensureStreams(await bus.connection())
}

async function put(connection: NatsConnection, consumer: string, body: string, reason: string) {
  const fields = headers()
  fields.set('Herald-Reason', reason)
  fields.set('Herald-Subject', 'herald.events.v1.post.org.scheduled')
  const { seq } = await jetstream(connection).publish(`herald.dead.${consumer}`, body, {
    headers: fields,
  })
  return String(seq)
}

function scheduled(): CloudEvent {
  const postId = newId('post')
  return {
    specversion: '1.0',
    id: newId('event'),
    source: '/herald/posts',
    type: 'PostScheduled',
    subject: postId,
    time: '2026-01-15T09:00:00.000Z',
    datacontenttype: 'application/json',
    organizationid: newId('organization'),
    sequence: 1,
    data: {
      postId,
      source: 'api',
      scheduledAt: '2026-01-15T09:00:00.000Z',
      channels: [],
      mediaIds: [],
    },
  }
}

// Every command is a process of its own, which takes seconds where many run.
const PATIENCE = { timeout: 180_000 }

test(
  'a letter is listed, shown, replayed once, and not listed or replayed after that',
  PATIENCE,
  async ({ letters }) => {
    const event = scheduled()
    const id = await letters.put('library', JSON.stringify(event), 'Error: a bug')
    const shown = {
      id: Number(id),
      consumer: 'library',
      type: 'PostScheduled',
      event: event.id,
      about: event.subject,
      organizationId: event.organizationid,
      reason: 'Error: a bug',
      replayedAt: null,
    }
    expect((await letters.json('list --consumer library')).value).toMatchObject({
      data: [shown],
      nextCursor: null,
    })
    expect((await letters.json(`show ${id}`)).value).toMatchObject({
      ...shown,
      body: JSON.stringify(event),
    })
    const line = `${id} library PostScheduled ${event.subject}: handled.\n`
    expect(await letters.herald(`replay ${id}`)).toEqual({ code: 0, stdout: line, stderr: '' })

    expect((await letters.json('list --consumer library')).value).toMatchObject({ data: [] })
    expect((await letters.json('list --consumer library --all')).value).toMatchObject({
      data: [{ ...shown, replayedAt: expect.any(String) }],
    })
    const second = await letters.herald(`replay ${id}`)
    expect([second.code, second.stdout]).toEqual([1, ''])
    expect(second.stderr).toContain('Give --again to repeat it.')
    expect((await letters.herald(`replay ${id} --again`)).code).toBe(0)
  },
)

test(
  'all letters of a type are replayed with one command, which says what became of each',
  PATIENCE,
  async ({ letters }) => {
    const bodies = [scheduled(), { ...scheduled(), type: 'PostInvented' }, scheduled()]
    const [first, other, third] = await Promise.all(
      bodies.map((event) => letters.put('counter', JSON.stringify(event), 'Error: a bug')),
    )
    const { code, value } = await letters.json(
      'replay --all --consumer counter --type PostScheduled',
    )
    expect(code).toBe(0)
    const { data } = value as { data: { id: number; outcome: string }[] }
    expect(data.map(({ id, outcome }) => [id, outcome])).toEqual(
      [Number(first), Number(third)].toSorted((a, b) => a - b).map((id) => [id, 'handled']),
    )
    expect((await letters.json('list --consumer counter')).value).toMatchObject({
      data: [{ id: Number(other) }],
    })
    expect(
      await letters.herald('replay --all --consumer counter --type PostScheduled'),
    ).toMatchObject({ code: 0, stdout: 'There is nothing to replay.\n' })
  },
)

test(
  'a letter that nobody can handle stays, and the command says why and exits 1',
  PATIENCE,
  async ({ letters }) => {
    const broken = await letters.put('library', 'no event', 'It is not a CloudEvent.')
    const foreign = await letters.put('other-team', JSON.stringify(scheduled()), 'a bug')
    expect(await letters.herald(`replay ${broken}`)).toMatchObject({
      code: 1,
      stdout: `${broken} library - -: failed again, and stays: It is not a CloudEvent.\n`,
    })
    const { code, stdout } = await letters.herald(`replay ${foreign}`)
    expect(code).toBe(1)
    expect(stdout).toContain('no process of this consumer runs; nothing has happened.')
    const left = (await letters.json('list --consumer other-team')).value
    expect(left).toMatchObject({ data: [{ id: Number(foreign) }] })
  },
)

test('letters are listed in pages', PATIENCE, async ({ letters }) => {
  const ids = []
  for (let count = 0; count < 3; count++)
    ids.push(Number(await letters.put('pages', JSON.stringify(scheduled()), 'a bug')))
  const page = async (line: string) =>
    (await letters.json(`list --consumer pages --limit 2 ${line}`.trim())).value as {
      data: { id: number }[]
      nextCursor: string | null
    }
  const first = await page('')
  expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2))
  const second = await page(`--cursor ${first.nextCursor}`)
  expect(second).toMatchObject({ data: [{ id: ids[2] }], nextCursor: null })
})

test.for([
  ['replay', 'Name one LETTER, or give --all.', 2],
  ['replay 1 --all', 'Name one LETTER, or give --all.', 2],
  ['show 999999', 'There is no such dead letter.', 1],
  ['replay 999999', 'There is no such dead letter.', 1],
] as const)('"%s" is refused: %s', async ([line, message, code], { letters }) => {
  const ended = await letters.herald(line)
  expect([ended.code, ended.stdout]).toEqual([code, ''])
  expect(ended.stderr).toContain(message)
})
