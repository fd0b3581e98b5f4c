import { unavailable } from '@herald/contracts/errors'
import { EVENTS_STREAM } from '@herald/contracts/events'
import { currentContext } from '@herald/service/context'
import { eventually } from '@herald/testing/eventually'
import { AckPolicy, jetstream } from '@nats-io/jetstream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aConsumer, anEvent, eventWorld, nameOf, ORGANIZATION } from './events.ts'
import { gate, startConsumer } from './world.ts'

test('events of one subject are handled in order and one at a time, those of others beside them', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const subjects = Array.from({ length: 10 }, (_, index) => `post-${index}`)
  for (let sequence = 1; sequence <= 20; sequence++)
    await Promise.all(subjects.map((subject) => world.publish(subject, sequence)))
  const seen: string[] = []
  const running = new Set<string>()
  let mostAtOnce = 0
  let overlaps = 0
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      concurrency: 4,
      handle: async (event) => {
        if (running.has(event.subject)) overlaps += 1
        running.add(event.subject)
        mostAtOnce = Math.max(mostAtOnce, running.size)
        for (let turns = event.sequence % 3; turns > 0; turns--) await nextTurn()
        seen.push(nameOf(event))
        running.delete(event.subject)
      },
    }),
  )
  await eventually(async () => expect(await world.open()).toBe(0))
  for (const subject of subjects)
    expect(seen.filter((name) => name.startsWith(`${subject}:`))).toEqual(
      Array.from({ length: 20 }, (_, index) => `${subject}:${index + 1}`),
    )
  expect(overlaps).toBe(0)
  expect(mostAtOnce).toBe(4)
})

test('an event that fails is tried again before any later one of its subject; others go on', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const othersDone = gate()
  const handled: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      maxDeliver: 1_000,
      handle: async (event) => {
        if (nameOf(event) === 'a:1' && !handled.includes('b:2')) throw new Error('not yet')
        handled.push(nameOf(event))
        if (nameOf(event) === 'b:2') othersDone.resolve()
      },
    }),
  )
  await world.publish('a', 1, 2, 3)
  await world.publish('b', 1, 2)
  await othersDone.promise
  await eventually(() => expect(handled).toEqual(['b:1', 'b:2', 'a:1', 'a:2', 'a:3']))
  await eventually(async () => expect(await world.open()).toBe(0))
})

test('a lane that waits holds no place that other lanes need', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const handled: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      concurrency: 1,
      maxDeliver: 1_000,
      handle: async (event) => {
        if (event.subject === 'stuck') throw new Error('not yet')
        handled.push(nameOf(event))
      },
    }),
  )
  await world.publish('stuck', 1, 2)
  await world.publish('a', 1, 2)
  await eventually(() => expect(handled).toEqual(['a:1', 'a:2']))
})

test('what is no event, or fails every time, goes to the dead letters; others go on', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const handled: string[] = []
  let tries = 0
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      maxDeliver: 3,
      handle: async (event) => {
        if (nameOf(event) === 'a:1') {
          tries += 1
          throw new Error('poison\r\nInjected: header')
        }
        handled.push(nameOf(event))
      },
    }),
  )
  await world.publishRaw('{"not json')
  await world.publishRaw('{"specversion":"1.0"}')
  await world.publish('a', 1, 2)
  await world.publish('b', 1)
  await eventually(() => expect(handled.toSorted()).toEqual(['a:2', 'b:1']))
  await eventually(async () => expect(await world.deadLetters()).toHaveLength(3))
  const letters = await world.deadLetters()
  expect(letters.map(({ body }) => body)).toEqual(
    expect.arrayContaining(['{"not json', '{"specversion":"1.0"}']),
  )
  expect(letters.find(({ body }) => body.includes('"subject":"a"'))?.reason).toBe(
    'Error: poison Injected: header',
  )
  expect(tries).toBe(3)
  // The server is told too, and delivers none of them again.
  await eventually(async () => expect(await world.open()).toBe(0))
})

test('an event waits, however often, for a part of Herald that is away', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  let tries = 0
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      maxDeliver: 2,
      handle: async () => {
        tries += 1
        if (tries < 10) throw unavailable()
      },
    }),
  )
  await world.publish('a', 1)
  await eventually(async () => expect([tries, await world.open()]).toEqual([10, 0]))
  expect(await world.deadLetters()).toEqual([])
})

test('a handler that takes longer than the acknowledgement may wait is called once', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const handled: string[] = []
  const release = gate()
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      ackWaitMs: 200,
      handle: async (event) => {
        handled.push(nameOf(event))
        if (event.subject === 'slow') await release.promise
      },
    }),
  )
  await world.publish('slow', 1)
  await eventually(() => expect(handled).toContain('slow:1'))
  // A second consumer with the same patience shows when that has passed: nobody handles its event.
  const { consumers } = world.manager
  await consumers.add(EVENTS_STREAM, {
    durable_name: 'idle',
    ack_policy: AckPolicy.Explicit,
    ack_wait: 1_000 * 1e6,
  })
  const idle = await jetstream(world.connection).consumers.get(EVENTS_STREAM, 'idle')
  await idle.next()
  expect(await idle.next()).toMatchObject({ redelivered: true })
  const { num_redelivered: redelivered } = await consumers.info(EVENTS_STREAM, 'tests')
  expect(redelivered).toBe(0)
  release.resolve()
  await eventually(async () => expect(await world.open()).toBe(0))
  expect(handled).toEqual(['slow:1'])
})

test('a handler is told how the event came, and works in its context', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const event = { ...anEvent('a', 1), traceparent: '00-aa-bb-01' }
  const seen: unknown[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      handle: async (received, delivery) => void seen.push(received, delivery, currentContext()),
    }),
  )
  await world.publishRaw(JSON.stringify(event))
  await eventually(() => expect(seen).toHaveLength(3))
  const subject = `herald.events.v1.post.${ORGANIZATION}.changed`
  expect(seen).toEqual([
    event,
    { subject, deliveryCount: 1, redelivered: false },
    { requestId: event.id, traceparent: '00-aa-bb-01', organizationId: ORGANIZATION },
  ])
})

test('replicas share the events, and each is handled by one of them', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const handled: string[] = []
  const handle = async (event: Parameters<typeof nameOf>[0]) => void handled.push(nameOf(event))
  for (let replica = 0; replica < 2; replica++)
    await startConsumer(stack, world.nats.url, aConsumer({ handle }))
  const subjects = Array.from({ length: 50 }, (_, index) => `post-${index}`)
  await Promise.all(subjects.map((subject) => world.publish(subject, 1)))
  await eventually(() => expect(handled).toHaveLength(50))
  expect(new Set(handled).size).toBe(50)
})
