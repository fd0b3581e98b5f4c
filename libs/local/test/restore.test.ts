import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@herald/testing/eventually'
import { testPostgres } from '@herald/testing/postgres'
import pg from 'pg'
import { expect, test } from 'vitest'
import { prepareDatabases } from '../src/databases.ts'
import { ownerUrl } from './owner-url.ts'
import { testWorld, type World } from './world.ts'

type Name = 'posts' | 'publisher'

const PATIENCE = { timeoutMs: 60_000 }
/** Services are stopped and started, and a post has to become due in between. */
const LONG = { timeout: 240_000 }

/** Herald with posts and publisher, which can be stopped while their databases are saved or put back. */
async function restorableWorld() {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await testPostgres({ fsync: 'off' }))
  const databaseUrls = await prepareDatabases(server.url, 'secret')
  const world = stack.use(await testWorld({ databaseUrls, processes: { posts: 0, publisher: 0 } }))
  const start = () => Promise.all([world.startHere('posts'), world.start('publisher')])
  const running = { services: await start() }
  const stop = () => Promise.all(running.services.map(({ close }) => close()))
  stack.defer(async () => void (await stop()))
  const admin = (statement: string) => ask(server.url, statement)
  const moved = stack.move()
  return {
    world,
    async whileStopped(work: () => Promise<void>): Promise<void> {
      await stop()
      await work()
      running.services = await start()
    },
    /** A query on a service's database, by its owner. */
    in: (name: Name, statement: string) => ask(ownerUrl(databaseUrls[name]), statement),
    async save(names: Name[]): Promise<void> {
      for (const name of names)
        await admin(`create database saved_${name} template herald_${name} strategy file_copy`)
    },
    /** Puts databases back as they were saved, as from a dump: they are made anew. */
    async putBack(names: Name[]): Promise<void> {
      for (const name of names) {
        await admin(`drop database herald_${name} with (force)`)
        await admin(`create database herald_${name} template saved_${name} strategy file_copy`)
      }
    },
    /** The same with all files of the server, so that nothing in them tells that they are older. */
    saveFiles: () => withServerStopped(server, 'cluster', 'saved'),
    putFilesBack: () => withServerStopped(server, 'saved', 'cluster'),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

type Restorable = Awaited<ReturnType<typeof restorableWorld>>

async function withServerStopped(
  server: Awaited<ReturnType<typeof testPostgres>>,
  from: string,
  to: string,
): Promise<void> {
  await server.stop()
  await rm(join(server.dataDir, to), { recursive: true, force: true })
  await cp(join(server.dataDir, from), join(server.dataDir, to), { recursive: true })
  await server.restart('SIGTERM')
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

async function schedule({ world }: Restorable, content: string, seconds: number): Promise<string> {
  let id = ''
  await eventually(async () => {
    const body = { content, channelIds: [world.mastodon.id], publishAt: inSeconds(seconds) }
    id = (await world.create(body)).id
  }, PATIENCE)
  return id
}

async function expectEnded(world: World, id: string, expected: object): Promise<void> {
  await eventually(async () => {
    const post = await world.get(id)
    expect(post.channels[0]).toMatchObject(expected)
  }, PATIENCE)
}

async function timesSent({ world }: Restorable): Promise<number> {
  return (await world.sandbox.requests(world.mastodon)).length
}

const LIVE = { status: 'published', url: expect.stringContaining('http') }

test.for([
  ['posts and publisher', ['posts', 'publisher']],
  ['posts alone', ['posts']],
  ['the publisher alone', ['publisher']],
] satisfies [string, Name[]][])(
  'a post that went live after the backup is not published again when the databases of %s are put back, and is shown live',
  LONG,
  async ([, names]) => {
    await using herald = await restorableWorld()
    const id = await schedule(herald, 'scheduled at the backup', 20)
    await herald.whileStopped(() => herald.save(['posts', 'publisher']))
    await expectEnded(herald.world, id, LIVE)
    await herald.whileStopped(() => herald.putBack(names))
    await expectEnded(herald.world, id, LIVE)
    expect(await timesSent(herald)).toBe(1)
  },
)

test(
  'a server whose files were replaced by an older copy publishes nothing again, and finds out where posts are live',
  LONG,
  async () => {
    await using herald = await restorableWorld()
    const id = await schedule(herald, 'in the older copy', 25)
    await herald.whileStopped(herald.saveFiles)
    await expectEnded(herald.world, id, LIVE)
    await herald.whileStopped(herald.putFilesBack)
    await expectEnded(herald.world, id, LIVE)
    expect(await timesSent(herald)).toBe(1)
    expect(await herald.in('posts', 'select evidence from restores')).toMatchObject([
      { evidence: expect.stringContaining('the bus has evt_') },
    ])
  },
)
