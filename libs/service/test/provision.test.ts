import type { DurableConsumer } from '@herald/contracts/consumers'
import { DEAD_LETTER_STREAM, EVENTS_STREAM } from '@herald/contracts/events'
import { connectBus } from '@herald/service/bus'
import { provision, ProvisionRefused } from '@herald/service/provision'
import { startService } from '@herald/service/start-service'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { AckPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { expect, test } from 'vitest'
import { aConsumer, anEvent, DURABLE } from './events.ts'
import { logger, SECRET, testBus } from './world.ts'

const PATIENTLY = { timeoutMs: 30_000 }
const DAY_NS = 86_400 * 1e9
const CONSUMER: DurableConsumer = aConsumer({ handle: async () => {} })

async function bareNats(stack: AsyncDisposableStack) {
  const nats = stack.use(await testNats())
  const connection = await testBus(stack, nats.url).connection()
  const manager = await jetstreamManager(connection)
  const said: string[] = []
  const run = (consumers = [CONSUMER], replicas?: number) =>
    provision({ connection, consumers, replicas, log: (line) => void said.push(line) })
  return { nats, connection, manager, said, run }
}

test('provisioning makes what is missing, and nothing the second time', async () => {
  await using stack = new AsyncDisposableStack()
  const { manager, said, run } = await bareNats(stack)
  await run()
  expect(said).toEqual([
    `The stream ${EVENTS_STREAM} is made.`,
    `The stream ${DEAD_LETTER_STREAM} is made.`,
    `The consumer ${DURABLE} is made.`,
  ])
  const { created, config } = await manager.consumers.info(EVENTS_STREAM, DURABLE)
  expect(config).toMatchObject({ ack_policy: 'explicit', deliver_policy: 'all' })
  await run()
  expect(said).toHaveLength(3)
  expect((await manager.consumers.info(EVENTS_STREAM, DURABLE)).created).toBe(created)
})

test('provisioning widens what is too narrow, and never narrows', async () => {
  await using stack = new AsyncDisposableStack()
  const { manager, connection, run } = await bareNats(stack)
  const common = { storage: StorageType.File, max_bytes: 1e9, duplicate_window: 60e9 }
  await manager.streams.add({
    ...common,
    name: EVENTS_STREAM,
    subjects: ['herald.events.v1.>'],
    max_age: 90 * DAY_NS,
    max_msg_size: 1_000,
  })
  await manager.streams.add({
    ...common,
    name: DEAD_LETTER_STREAM,
    subjects: ['herald.dead.>'],
    max_age: DAY_NS,
  })
  await jetstream(connection).publish('herald.events.v1.post.x.y', 'kept')
  await run()
  const events = await manager.streams.info(EVENTS_STREAM)
  const kept = { max_bytes: 1e9, duplicate_window: 600e9, allow_direct: true }
  expect(events.config).toMatchObject({ ...kept, max_age: 90 * DAY_NS, max_msg_size: 262_144 })
  expect(events.state.messages).toBe(1)
  const letters = await manager.streams.info(DEAD_LETTER_STREAM)
  expect(letters.config).toMatchObject({ ...kept, max_age: 30 * DAY_NS })
})

test.each([
  ['subjects', { subjects: ['herald.events.v1.post.>'] }],
  ['retention', { retention: RetentionPolicy.Workqueue }],
  ['storage', { storage: StorageType.Memory }],
])('provisioning refuses a stream of other %s before it changes anything', async (key, changes) => {
  await using stack = new AsyncDisposableStack()
  const { manager, said, run } = await bareNats(stack)
  const stream = { name: EVENTS_STREAM, subjects: ['herald.events.v1.>'], ...changes }
  await manager.streams.add(stream)
  const error = await run().catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ProvisionRefused)
  expect(String(error)).toContain(`The stream ${EVENTS_STREAM} has ${key} `)
  expect(said).toEqual([])
  expect(await manager.streams.names().next()).toEqual([EVENTS_STREAM])
})

test('provisioning refuses a consumer that acknowledges by itself', async () => {
  await using stack = new AsyncDisposableStack()
  const { manager, run } = await bareNats(stack)
  await run([])
  await manager.consumers.add(EVENTS_STREAM, { durable_name: DURABLE, ack_policy: AckPolicy.None })
  await expect(run()).rejects.toThrow(ProvisionRefused)
})

test('a service that may make nothing waits for its consumer, and works as soon as it is provisioned', async () => {
  await using stack = new AsyncDisposableStack()
  const { nats, connection, manager, run } = await bareNats(stack)
  const seen: string[] = []
  const bus = connectBus({ natsUrl: nats.url, name: 'test', provision: false, logger })
  const service = await startService({
    name: 'test',
    config: { INTERNAL_HOST: '127.0.0.1', INTERNAL_PORT: 0, RPC_SECRET: SECRET },
    bus,
    logger,
    consumers: [aConsumer({ handle: async ({ subject }) => void seen.push(subject) })],
    onClose: bus.close,
  })
  stack.defer(service.close)
  await eventually(async () => {
    const { api } = await manager.getAccountInfo()
    expect(api.errors).toBeGreaterThan(0)
  }, PATIENTLY)
  expect(await manager.streams.names().next()).toEqual([])
  await run()
  await jetstream(connection).publish(
    CONSUMER.filterSubject.replace('*', 'org_1'),
    JSON.stringify(anEvent('a', 1)),
  )
  await eventually(() => expect(seen).toEqual(['a']), PATIENTLY)
}, 60_000)
