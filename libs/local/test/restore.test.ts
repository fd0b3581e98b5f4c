import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@herald/testing/eventually'
import { testPostgres } from '@herald/testing/postgres'
import pg from 'pg'
import { expect, test } from 'vitest'
import { prepareDatabases } from '../src/databases.ts'
import { ownerUrl } from './owner-url.ts'
import { killChild } from './world.ts'
import { testWorld, type World } from './world.ts'

type Name = 'posts' | 'publisher'

const PATIENCE = { timeoutMs: 60_000 }

/** Herald with posts and publisher as processes, which can be stopped while their databases are saved or put back. */
async function restorableWorld() {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await testPostgres())
  const databaseUrls = await prepareDatabases(server.url, 'secret')
  const world = stack.use(await testWorld({ databaseUrls, processes: { posts: 0, publisher: 0 } }))
  let running = [world.spawn('posts'), world.spawn('publisher')]
  const whileStopped = async <T>(work: () => Promise<T>, crashAt = ''): Promise<T> => {
    await Promise.all(running.map(killChild))
    const done = await work()
    running = [world.spawn('posts'), world.spawn('publisher', crashAt)]
    return done
  }
  const admin = (statement: string) => ask(server.url, statement)
  const moved = stack.move()
  return {
    world,
    whileStopped,
    /** A query on a service's database, by its owner. */
    in: (name: Name, statement: string) => ask(ownerUrl(databaseUrls[name]), statement),
    /** Saves databases as they are now. */
    save: (names: Name[]) =>
      whileStopped(async () => {
        for (const name of names)
          await admin(`create database saved_${name} template herald_${name}`)
      }),
    /** Puts them back, as a dump would be: into databases made anew. */
    putBack: async (names: Name[]) => {
      for (const name of names) {
        await admin(`drop database herald_${name} with (force)`)
        await admin(`create database herald_${name} template saved_${name}`)
      }
    },
    /** A copy of all files of the server, which is stopped for it. */
    saveFiles: () => withServerStopped(server, () => copyCluster(server.dataDir, 'cluster', 'saved')),
    putFilesBack: () =>
      withServerStopped(server, () => copyCluster(server.dataDir, 'saved', 'cluster')),
    /** Posts that may be live are looked up within some seconds here. */
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

type Restorable = Awaited<ReturnType<typeof restorableWorld>>

async function withServerStopped(
  server: Awaited<ReturnType<typeof testPostgres>>,
  work: () => Promise<void>,
): Promise<void> {
  await server.stop()
  await work()
  await server.restart('SIGTERM')
}

async function copyCluster(dataDir: string, from: string, to: string): Promise<void> {
  await rm(join(dataDir, to), { recursive: true, force: true })
  await cp(join(dataDir, from), join(dataDir, to), { recursive: true, preserveTimestamps: true })
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
  ['both databases', ['posts', 'publisher']],
  ['the database of posts alone', ['posts']],
  ['the database of the publisher alone', ['publisher']],
] satisfies [string, Name[]][])(
  'a post that went live after the backup is not published again when %s are put back, and is shown live',
  async ([, names]) => {
    await using herald = await restorableWorld()
    const id = await schedule(herald, 'scheduled at the backup', 20)
    await herald.save(['posts', 'publisher'])
    await expectEnded(herald.world, id, LIVE)
    await herald.whileStopped(() => herald.putBack(names))
    await expectEnded(herald.world, id, LIVE)
    expect(await timesSent(herald)).toBe(1)
  },
)

test('a server whose files were replaced by an older copy publishes nothing again, and finds out where posts are live', async () => {
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
})
