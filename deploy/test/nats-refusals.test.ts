import { readFileSync } from 'node:fs'
import { BUS_USERS } from '@herald/contracts/bus-users'
import { EVENTS_STREAM } from '@herald/contracts/events'
import { readNatsUrl } from '@herald/service/nats-address'
import { eventually } from '@herald/testing/eventually'
import { testNats, type TestNats } from '@herald/testing/nats'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import {
  AuthorizationError,
  connect,
  type NatsConnection,
  PermissionViolationError,
} from '@nats-io/transport-node'
import { describe, expect, test as base } from 'vitest'
import { accountsConfig } from '../nats/accounts.ts'
import { PRODUCTION, TEAMS } from './nats-users.ts'

const test = base.extend<{ nats: TestNats }>({
  nats: [
    async ({}, use) => {
      await using nats = await testNats(PRODUCTION)
      await PRODUCTION.provision(nats.url)
      await use(nats)
    },
    { scope: 'file' },
  ],
})

const USERS = [...BUS_USERS, { name: 'provision' }, ...TEAMS].map(({ name }) => name)

/** What is worth forging, reading or breaking, and who alone may publish there. */
const PUBLISHING: Record<string, string[]> = {
  'herald.events.v1.post.org_1.published': ['posts'],
  'herald.events.v1.post.org_1.invented': [],
  'herald.events.v1.key.org_1.revoked': ['accounts'],
  'herald.events.v1.channel.org_1.connected': ['channels'],
  'herald.events.v1.media.org_1.ready': ['media'],
  'herald.rpc.accounts.createKey': ['herald'],
  'herald.rpc.accounts.verifyKey': ['gateway', 'herald'],
  'herald.rpc.channels.access': ['publisher', 'herald'],
  'herald.rpc.posts.recordChannelResult': ['publisher', 'herald'],
  'herald.rpc.posts.create': ['gateway', 'herald'],
  'herald.rpc.quota.reservePost': ['posts'],
  'herald.dead.publisher': ['publisher'],
  'herald.dead.media-posts': ['media'],
  'herald.dead.publisher.replayed.1': ['herald'],
  'herald.replay.publisher': ['herald'],
  ...Object.fromEntries(USERS.map((name) => [`_INBOX_${name}.forged`, []])),
  '$JS.API.STREAM.PURGE.HERALD_EVENTS': [],
  '$JS.API.STREAM.DELETE.HERALD_EVENTS': [],
  '$JS.API.STREAM.DELETE.HERALD_DEAD_LETTERS': [],
  '$JS.API.STREAM.MSG.DELETE.HERALD_EVENTS': [],
  '$JS.API.STREAM.MSG.GET.HERALD_EVENTS': ['posts'],
  '$JS.API.STREAM.MSG.GET.HERALD_DEAD_LETTERS': ['herald'],
  '$JS.API.DIRECT.GET.HERALD_EVENTS': [],
  '$JS.API.STREAM.UPDATE.HERALD_EVENTS': ['provision'],
  '$JS.API.STREAM.CREATE.HERALD_EVENTS': ['provision'],
  '$JS.API.STREAM.CREATE.MINE': [],
  '$JS.API.STREAM.LIST': [],
  '$JS.API.STREAM.SNAPSHOT.HERALD_EVENTS': [],
  '$JS.API.STREAM.INFO.HERALD_EVENTS': ['accounts', 'channels', 'media', 'posts', 'provision'],
  '$JS.API.CONSUMER.CREATE.HERALD_EVENTS': [],
  '$JS.API.CONSUMER.CREATE.HERALD_EVENTS.mine.herald.events.v1.>': [],
  '$JS.API.CONSUMER.DURABLE.CREATE.HERALD_EVENTS.mine': [],
  '$JS.API.CONSUMER.DELETE.HERALD_EVENTS.publisher': [],
  '$JS.API.CONSUMER.PAUSE.HERALD_EVENTS.publisher': [],
  '$JS.API.CONSUMER.INFO.HERALD_EVENTS.publisher': ['publisher', 'provision'],
  '$JS.API.CONSUMER.MSG.NEXT.HERALD_EVENTS.publisher': ['publisher'],
  '$JS.API.CONSUMER.MSG.NEXT.HERALD_EVENTS.media-posts': ['media'],
  '$JS.API.CONSUMER.MSG.NEXT.HERALD_EVENTS.quota-scheduled': ['quota'],
  '$JS.API.CONSUMER.MSG.NEXT.HERALD_EVENTS.analytics-posts': ['analytics'],
  '$JS.ACK.HERALD_EVENTS.publisher.1.1.1.1.0': ['publisher'],
  '$JS.ACK.HERALD_EVENTS.analytics-posts.1.1.1.1.0': ['analytics'],
  '$JS.API.META.LEADER.STEPDOWN': [],
  '$JS.API.ACCOUNT.PURGE.HERALD': [],
  '$SYS.REQ.SERVER.PING': [],
  '$SYS.REQ.ACCOUNT.HERALD.CONNZ': [],
}

/** What is worth hearing, and who alone may listen there. */
const LISTENING: Record<string, string[]> = {
  '>': [],
  'herald.>': [],
  'herald.rpc.>': [],
  'herald.rpc.accounts.verifyKey': ['accounts'],
  'herald.rpc.channels.access': ['channels'],
  'herald.rpc.media.attach': ['media'],
  'herald.rpc.posts.create': ['posts'],
  'herald.rpc.quota.admit': ['quota'],
  'herald.events.v1.>': [],
  'herald.events.v1.post.*.published': ['herald'],
  'herald.events.v1.key.*.revoked': ['gateway', 'herald'],
  'herald.events.v1.channel.*.*': ['posts', 'herald'],
  'herald.dead.>': [],
  'herald.replay.publisher': ['publisher'],
  'herald.replay.media-posts': ['media'],
  '_INBOX.>': [],
  '_INBOX_*.>': [],
  ...Object.fromEntries(USERS.map((name) => [`_INBOX_${name}.>`, [name]])),
  '$JS.API.>': [],
  '$JS.ACK.>': [],
  '$JS.EVENT.ADVISORY.>': [],
  '$SYS.>': [],
}

const LAST = 'nobody.may.publish.this'

describe.each(USERS)('%s', (name) => {
  test('may publish and call nothing but what is its own', async ({ nats }) => {
    const refused = await refusalsOf(nats, name, (connection) => {
      for (const subject of Object.keys(PUBLISHING)) connection.publish(subject, '{}')
    })
    expect(refused).toEqual(notFor(name, PUBLISHING))
  })

  test('may listen to nothing but what is its own', async ({ nats }) => {
    const refused = await refusalsOf(nats, name, (connection) => {
      for (const subject of Object.keys(LISTENING))
        connection.subscribe(subject, { callback: () => {} })
    })
    expect(refused).toEqual(notFor(name, LISTENING))
  })

  test('may not answer in the place of another by joining its queue', async ({ nats }) => {
    const others = BUS_USERS.filter((user) => user.serves && user.name !== name)
    const subjects = others.map(({ name: other }) => `herald.rpc.${other}.checkProjections`)
    const refused = await refusalsOf(nats, name, (connection) => {
      for (const [index, subject] of subjects.entries())
        connection.subscribe(subject, { queue: others[index]?.name ?? '', callback: () => {} })
    })
    expect(refused).toEqual(new Set(subjects))
  })
})

test('whoever is called may answer once, and to nobody else', async ({ nats }) => {
  await using stack = new AsyncDisposableStack()
  const [gateway, posts] = [await login(nats, 'gateway', stack), await login(nats, 'posts', stack)]
  const refused = refusedBy(posts)
  const subject = 'herald.rpc.posts.list'
  posts.subscribe(subject, {
    callback: (_, message) => {
      message.respond('first')
      message.respond('second')
      posts.publish('_INBOX_gateway.another', 'third')
    },
  })
  await posts.flush()
  const heard: string[] = []
  gateway.subscribe('_INBOX_gateway.>', {
    callback: (_, message) => void heard.push(message.string()),
  })
  gateway.publish(subject, '', { reply: '_INBOX_gateway.here' })
  await eventually(() => expect(heard).toEqual(['first']), { timeoutMs: 30_000 })
  await eventually(
    () => expect(refused).toEqual(new Set(['_INBOX_gateway.here', '_INBOX_gateway.another'])),
    { timeoutMs: 30_000 },
  )
  expect(heard).toEqual(['first'])
})

test('another team reads and acknowledges what its consumer has, in the way of the example', async ({
  nats,
}) => {
  await using stack = new AsyncDisposableStack()
  const posts = await login(nats, 'posts', stack)
  await jetstream(posts).publish('herald.events.v1.post.org_1.published', '"news"')
  const analytics = await login(nats, 'analytics', stack)
  const consumer = await jetstream(analytics).consumers.get(EVENTS_STREAM, 'analytics-posts')
  for (;;) {
    const message = await consumer.next({ expires: 30_000 })
    await message?.ackAck()
    if (message?.string() === '"news"') break
  }
  expect((await consumer.info()).num_ack_pending).toBe(0)
})

test('nobody comes in without a name, or with the password of another', async ({ nats }) => {
  const [servers, options] = [nats.url, { reconnect: false }]
  await expect(connect({ servers, ...options })).rejects.toThrow(AuthorizationError)
  const stranger = { servers, user: 'posts', pass: 'of-media', ...options }
  await expect(connect(stranger)).rejects.toThrow(AuthorizationError)
})

test('the streams have all they had after everything above', async ({ nats }) => {
  await using stack = new AsyncDisposableStack()
  const admin = await login(nats, 'admin', stack)
  const { streams } = await jetstreamManager(admin)
  const names = (await streams.names().next()).toSorted()
  expect(names).toEqual(['HERALD_DEAD_LETTERS', 'HERALD_EVENTS'])
  expect((await streams.info(EVENTS_STREAM)).state.first_seq).toBe(1)
})

base('the configuration in the tree is that of the contracts as they are', () => {
  const written = readFileSync(new URL('../nats/accounts.conf', import.meta.url), 'utf8')
  expect(written).toBe(accountsConfig({ teams: [], second: [] }))
})

async function login(
  nats: TestNats,
  name: string,
  stack: AsyncDisposableStack,
): Promise<NatsConnection> {
  const address = readNatsUrl(PRODUCTION.urlFor(nats.url, name))
  const connection = await connect({ ...address, inboxPrefix: `_INBOX_${name}` })
  stack.defer(() => connection.close())
  return connection
}

/** The subjects that the server refuses a connection, as it tells. */
function refusedBy(connection: NatsConnection): Set<string> {
  const refused = new Set<string>()
  const listen = async () => {
    for await (const status of connection.status())
      if (status.type === 'error' && status.error instanceof PermissionViolationError)
        refused.add(status.error.subject)
  }
  void listen()
  return refused
}

/** What the server refuses of what is tried. It tells in order, so something that nobody may do ends it. */
async function refusalsOf(
  nats: TestNats,
  name: string,
  attempt: (connection: NatsConnection) => void,
): Promise<Set<string>> {
  await using stack = new AsyncDisposableStack()
  const connection = await login(nats, name, stack)
  const refused = refusedBy(connection)
  attempt(connection)
  connection.publish(LAST)
  await eventually(() => expect(refused).toContain(LAST), { timeoutMs: 30_000 })
  refused.delete(LAST)
  return refused
}

function notFor(name: string, table: Record<string, string[]>): Set<string> {
  const others = Object.entries(table).filter(([, users]) => !users.includes(name))
  return new Set(others.map(([subject]) => subject))
}
