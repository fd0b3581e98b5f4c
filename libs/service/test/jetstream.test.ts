import { DEAD_LETTER_STREAM, EVENTS_STREAM } from '@herald/contracts/events'
import { ensureStreams } from '@herald/service/jetstream'
import { testNats } from '@herald/testing/nats'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { expect, test } from 'vitest'
import { testBus } from './world.ts'

test('the streams are made as they must be, however many make them', async () => {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  const connection = await testBus(stack, nats.url).connection()
  await Promise.all(Array.from({ length: 8 }, () => ensureStreams(connection)))
  const manager = await jetstreamManager(connection)
  const day = 86_400 * 1e9
  const common = {
    storage: 'file',
    retention: 'limits',
    discard: 'old',
    max_age: 30 * day,
    duplicate_window: 600 * 1e9,
    deny_delete: true,
    deny_purge: false,
    allow_direct: true,
  }
  const { config } = await manager.streams.info(EVENTS_STREAM)
  expect(config).toMatchObject({ ...common, max_msg_size: 262_144 })
  expect(config.subjects).toEqual(['herald.events.v1.>'])
  const letters = await manager.streams.info(DEAD_LETTER_STREAM)
  expect(letters.config).toMatchObject(common)
  expect(letters.config.subjects).toEqual(['herald.dead.>'])
})

test('an existing stream keeps its settings and its messages', async () => {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  const connection = await testBus(stack, nats.url).connection()
  const manager = await jetstreamManager(connection)
  await manager.streams.add({
    name: EVENTS_STREAM,
    subjects: ['herald.events.v1.>'],
    max_age: 1e15,
  })
  await jetstream(connection).publish('herald.events.v1.post.x.y', 'kept')
  await ensureStreams(connection)
  const { config, state } = await manager.streams.info(EVENTS_STREAM)
  expect(config.max_age).toBe(1e15)
  expect(state.messages).toBe(1)
})
