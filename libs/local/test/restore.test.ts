import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@herald/testing/eventually'
import { testPostgres } from '@herald/testing/postgres'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
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
  const start = () => Promise.all([world.startHere('posts'), world.startHere('publisher')])
  const running = { services: await start() }
  const stop = () => Promise.all(running.services.map(({ close }) => close()))
  stack.defer(async () => void (await stop()))
  const admin = (statement: string) => ask(server.url, statement)
  /** Copies a database, for which nobody may be connected to it. */
  const copy = async (from: string, to: string) => {
    await admin(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${from}'`,
    )
    await admin(`create database ${to} template ${from} strategy file_copy`)
  }
  const moved = stack.move()
  return {
    world,
    async whileStopped(work: () => Promise<void>): Promise<void> {
      await stop()
      await work()
      running.services = await start()
    },
    /** The bus has lost everything, too. */
    async wipeBus(): Promise<void> {
      await world.nats.kill()
      await rm(world.nats.dataDir, { recursive: true, force: true })
      await world.nats.start()
    },
    /** A query on a service's database, by its owner. */
    in: (name: Name, statement: string) => ask(ownerUrl(databaseUrls[name]), statement),
    async save(names: Name[]): Promise<void> {
      for (const name of names) await copy(`herald_${name}`, `saved_${name}`)
    },
    /** Puts databases back as they were saved, as from a dump: they are made anew. */
    async putBack(names: Name[]): Promise<void> {
      for (const name of names) {
        await admin(`drop database herald_${name} with (force)`)
        await copy(`saved_${name}`, `herald_${name}`)
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
const UNCONFIRMED = { status: 'failed', errorCode: 'unconfirmed', retryable: false }

async function expectLiveOnce({ world }: Restorable, content: string): Promise<void> {
  const live = (await world.sandbox.live(world.mastodon)).filter(({ text }) => text === content)
  expect(live).toHaveLength(1)
}

describe('a post that went live after the backup', () => {
  test.for([
    ['posts and publisher', ['posts', 'publisher']],
    ['posts alone', ['posts']],
    ['the publisher alone', ['publisher']],
  ] satisfies [string, Name[]][])(
    'is not published again when the databases of %s are put back, and is shown live',
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

  test('is looked up on its platform and found when the bus is lost as well', LONG, async () => {
    await using herald = await restorableWorld()
    const id = await schedule(herald, 'on the platform alone', 20)
    await herald.whileStopped(() => herald.save(['posts', 'publisher']))
    await expectEnded(herald.world, id, LIVE)
    await herald.whileStopped(async () => {
      await herald.putBack(['posts', 'publisher'])
      await herald.wipeBus()
    })
    await expectEnded(herald.world, id, LIVE)
    expect(await timesSent(herald)).toBe(1)
  })

  test(
    'is not published again when all files of the server were replaced by older ones',
    LONG,
    async () => {
      await using herald = await restorableWorld()
      const id = await schedule(herald, 'in the older files', 25)
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

  test.for([
    ['waited for its turn', 'posts and publisher', ['posts', 'publisher']],
    ['waited for its turn', 'the publisher alone', ['publisher']],
    ['was being called', 'posts and publisher', ['posts', 'publisher']],
    ['was being called', 'the publisher alone', ['publisher']],
  ] satisfies [string, string, Name[]][])(
    'whose attempt %s at the backup is not called again when the databases of %s are put back',
    LONG,
    async ([state, , names]) => {
      await using herald = await restorableWorld()
      const { sandbox, mastodon } = herald.world
      await sandbox.fault({
        platform: 'MASTODON',
        account: mastodon.account,
        kind: 'rate_limit',
        times: 1,
      })
      const content = 'refused for a moment'
      const id = await schedule(herald, content, 0)
      await eventually(async () => {
        const found = await herald.in('publisher', 'select from attempts where tries = 1')
        expect(found).toHaveLength(1)
      }, PATIENCE)
      await herald.whileStopped(async () => {
        if (state === 'was being called') await herald.in('publisher', BEING_CALLED)
        await herald.save(['posts', 'publisher'])
        await herald.in('publisher', NO_LONGER_CALLED)
      })
      await expectEnded(herald.world, id, LIVE)
      await herald.whileStopped(() => herald.putBack(names))
      await eventually(async () => {
        const open = `select from attempts where state not in ('published', 'rejected') or next_report_at is not null`
        expect(await herald.in('publisher', open)).toEqual([])
      }, PATIENCE)
      await expectEnded(herald.world, id, LIVE)
      await expectLiveOnce(herald, content)
      expect(await timesSent(herald)).toBe(2)
    },
  )
})

/** As a backup finds an attempt between the note of its call and the note of what came of it. */
const BEING_CALLED = `update attempts set state = 'calling', called_at = now(), lease_until = now() + interval '3 seconds'`
const NO_LONGER_CALLED = `update attempts set state = 'claimed', called_at = null, lease_until = null`

describe('a post of which nothing tells whether it went live before the restore', () => {
  test(
    'is not sent; it ends as unconfirmed, and goes live once when a person asks for it',
    LONG,
    async () => {
      await using herald = await restorableWorld()
      const id = await schedule(herald, 'never sent', 15)
      await herald.whileStopped(async () => {
        await herald.save(['posts', 'publisher'])
        await herald.putBack(['posts', 'publisher'])
        await herald.wipeBus()
        // Nobody publishes it while everything is stopped, which the databases cannot know.
        await herald.in('posts', `select note_restore(until => now() + interval '1 hour')`)
      })
      await expectEnded(herald.world, id, UNCONFIRMED)
      expect(await timesSent(herald)).toBe(0)
      const body = { includeUnconfirmed: true }
      expect((await herald.world.call('POST', `/posts/${id}/retry`, body)).status).toBe(200)
      await expectEnded(herald.world, id, LIVE)
      expect(await timesSent(herald)).toBe(1)
    },
  )

  test(
    'is published as usual when it was due after the time that an operator gives as the end of what is lost',
    LONG,
    async () => {
      await using herald = await restorableWorld()
      const id = await schedule(herald, 'due while everything was stopped', 15)
      await herald.whileStopped(async () => {
        await herald.save(['posts', 'publisher'])
        await herald.putBack(['posts', 'publisher'])
        const note = `select note_restore(until => now() - interval '1 minute')`
        await herald.in('posts', note)
        await herald.in('publisher', note)
      })
      await expectEnded(herald.world, id, LIVE)
      expect(await timesSent(herald)).toBe(1)
    },
  )
})
