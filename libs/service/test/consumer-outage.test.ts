import { EVENTS_STREAM } from '@herald/contracts/events'
import { ensureStreams } from '@herald/service/jetstream'
import { eventually } from '@herald/testing/eventually'
import { expect, test } from 'vitest'
import { aConsumer, eventWorld, nameOf } from './events.ts'
import { gate, startConsumer } from './world.ts'

test('closing waits until everything taken is handled', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const release = gate()
  const handled: string[] = []
  const service = await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      handle: async (event) => {
        await release.promise
        handled.push(nameOf(event))
      },
    }),
  )
  await world.publish('a', 1, 2, 3)
  await world.publish('b', 1)
  await eventually(async () => expect(await world.inWork()).toBe(4))
  const closing = service.close()
  release.resolve()
  await closing
  expect(handled.toSorted()).toEqual(['a:1', 'a:2', 'a:3', 'b:1'])
  await eventually(async () => expect(await world.open()).toBe(0))
})

test('closing leaves an event that waits for its next try, and those behind it, to a successor', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const isTried = gate()
  const overtook: string[] = []
  const service = await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      backoffMs: [60_000],
      handle: async (event) => {
        if (nameOf(event) !== 'a:1') return void overtook.push(nameOf(event))
        isTried.resolve()
        throw new Error('not yet')
      },
    }),
  )
  await world.publish('a', 1, 2, 3)
  await isTried.promise
  await service.close()
  const handled: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({ handle: async (event) => void handled.push(nameOf(event)) }),
  )
  await eventually(() => expect(handled).toEqual(['a:1', 'a:2', 'a:3']))
  expect(overtook).toEqual([])
})

test('an event that was handled while NATS was away is not handled again', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const release = gate()
  const handled: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      ackWaitMs: 500,
      handle: async (event) => {
        handled.push(nameOf(event))
        if (nameOf(event) === 'a:1') await release.promise
      },
    }),
  )
  await world.publish('a', 1)
  await eventually(() => expect(handled).toEqual(['a:1']))
  await world.restartNats(async () => release.resolve())
  await world.publish('a', 2)
  await eventually(async () => expect(await world.open()).toBe(0))
  expect(handled).toEqual(['a:1', 'a:2'])
})

test('an event whose acknowledgement was lost is not handled again', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const release = gate()
  const end = gate()
  const handled: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      ackWaitMs: 1_000,
      handle: async (event) => {
        handled.push(nameOf(event))
        if (nameOf(event) !== 'a:1') return
        await release.promise
        // The acknowledgement follows when this handler has resolved.
        setImmediate(end.resolve)
      },
    }),
  )
  await world.publish('a', 1)
  await eventually(() => expect(handled).toEqual(['a:1']))
  // A frozen server takes the acknowledgement into its socket and dies with it.
  await world.nats.pause()
  release.resolve()
  await end.promise
  await world.crashNats()
  await world.publish('a', 2)
  await eventually(async () => expect(await world.open()).toBe(0))
  expect(handled).toEqual(['a:1', 'a:2'])
})

test('events are handled again after the consumer was deleted', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const handled: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({ handle: async (event) => void handled.push(nameOf(event)) }),
  )
  await world.publish('a', 1)
  await eventually(() => expect(handled).toContain('a:1'))
  await world.manager.consumers.delete(EVENTS_STREAM, 'tests')
  await world.publish('a', 2)
  await eventually(() => expect(handled).toContain('a:2'))
})

test('events are handled again after the stream was deleted', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const handled: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({ handle: async (event) => void handled.push(nameOf(event)) }),
  )
  await world.publish('a', 1)
  await eventually(() => expect(handled).toContain('a:1'))
  await world.manager.streams.delete(EVENTS_STREAM)
  await ensureStreams(world.connection)
  await world.publish('a', 2)
  await eventually(() => expect(handled).toContain('a:2'))
})

test('events are handled again after the store of NATS was wiped', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const handled: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({ handle: async (event) => void handled.push(nameOf(event)) }),
  )
  await world.publish('a', 1)
  await eventually(() => expect(handled).toContain('a:1'))
  await world.restartNats(world.wipe)
  await ensureStreams(world.connection)
  await world.publish('a', 2)
  await eventually(() => expect(handled).toContain('a:2'))
})

test('what was in work when the store was wiped acknowledges no event of the new store', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const releaseOld = gate()
  const releaseNew = gate()
  const started: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      ackWaitMs: 60_000,
      handle: async (event) => {
        started.push(nameOf(event))
        await (event.subject === 'old' ? releaseOld.promise : releaseNew.promise)
      },
    }),
  )
  await world.publish('old', 1)
  await eventually(() => expect(started).toEqual(['old:1']))
  await world.restartNats(world.wipe)
  await ensureStreams(world.connection)
  // Both are the first message of their stream.
  await world.publish('new', 1)
  await eventually(() => expect(started).toEqual(['old:1', 'new:1']))
  releaseOld.resolve()
  // Once these are acknowledged, the end of the old event has been and gone.
  await world.publish('old', 2, 3, 4)
  await eventually(() => expect(started).toContain('old:4'))
  await eventually(async () => expect(await world.open()).toBeLessThan(2))
  expect(await world.open()).toBe(1)
  releaseNew.resolve()
  await eventually(async () => expect(await world.open()).toBe(0))
})

test('a consumer that starts before NATS begins when NATS appears', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  await world.publish('a', 1)
  await world.nats.stop()
  const handled: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({ handle: async (event) => void handled.push(nameOf(event)) }),
  )
  await world.nats.start()
  await eventually(() => expect(handled).toEqual(['a:1']))
})

test('a consumer can be started with other settings than before', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const handled: string[] = []
  const handle = async (event: Parameters<typeof nameOf>[0]) => void handled.push(nameOf(event))
  const before = await startConsumer(stack, world.nats.url, aConsumer({ handle }))
  await world.publish('a', 1)
  await eventually(() => expect(handled).toEqual(['a:1']))
  await before.close()
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({ handle, ackWaitMs: 7_000, concurrency: 100 }),
  )
  await world.publish('a', 2)
  await eventually(() => expect(handled).toEqual(['a:1', 'a:2']))
  const { config } = await world.manager.consumers.info(EVENTS_STREAM, 'tests')
  expect(config.ack_wait).toBe(7_000 * 1e6)
})
