import { EVENTS_STREAM } from '@herald/contracts/events'
import { freePorts } from '@herald/local/free-port'
import { readNatsUrl } from '@herald/service/nats-address'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect, test } from 'vitest'
import { CONSUMERS } from '@herald/contracts/consumers'
import { provision } from '@herald/service/provision'
import { PRODUCTION } from './nats-users.ts'

const PATIENTLY = { timeoutMs: 60_000 }
const CONSUMER = CONSUMERS.publisher

test('three servers keep three copies, and take and give events while one is away', async () => {
  await using stack = new AsyncDisposableStack()
  const ports = await freePorts(3)
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`)
  const servers = await Promise.all(
    ports.map((port) =>
      testNats({
        settings: [
          `cluster { name: herald, listen: "127.0.0.1:${port}", routes: ${JSON.stringify(routes)} }`,
          PRODUCTION.settings,
        ].join('\n'),
      }),
    ),
  )
  for (const server of servers) stack.use(server)
  const urlOf = (user: string) => servers.map(({ url }) => PRODUCTION.urlFor(url, user)).join()
  const login = async (user: string) => {
    const address = readNatsUrl(urlOf(user))
    const connection = await connect({ ...address, inboxPrefix: `_INBOX_${user}` })
    stack.defer(() => connection.close())
    return connection
  }
  const connection = await login('provision')
  const said: string[] = []
  await eventually(async () => {
    const log = (line: string) => void said.push(line)
    await provision({ connection, consumers: [CONSUMER], replicas: 3, log })
  }, PATIENTLY)
  expect(said.length).toBeGreaterThan(0)

  const { streams, consumers } = await jetstreamManager(await login('admin'))
  const { config, cluster } = await streams.info(EVENTS_STREAM)
  expect(config.num_replicas).toBe(3)
  const { cluster: raft } = await consumers.info(EVENTS_STREAM, CONSUMER.durable)
  expect([cluster?.replicas?.length, raft?.replicas?.length]).toEqual([2, 2])

  const [posts, publisher] = [await login('posts'), await login('publisher')]
  await servers[0]?.kill()
  const subject = CONSUMER.filterSubject.replace('*', 'org_1')
  await eventually(
    () => jetstream(posts).publish(subject, '"news"', { msgID: 'one', timeout: 5_000 }),
    PATIENTLY,
  )
  await eventually(async () => {
    const reader = await jetstream(publisher).consumers.get(EVENTS_STREAM, CONSUMER.durable)
    const message = await reader.next({ expires: 5_000 })
    expect(message?.string()).toBe('"news"')
    expect(await message?.ackAck()).toBe(true)
  }, PATIENTLY)
}, 180_000)
