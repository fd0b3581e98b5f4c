import { EVENTS_STREAM, replaySubject } from '@herald/contracts/events'
import { type DeadLetter, openDeadLetters } from '@herald/service/dead-letter-box'
import { eventually } from '@herald/testing/eventually'
import { expect, test } from 'vitest'
import { aConsumer, anEvent, eventWorld, nameOf } from './events.ts'
import { gate, startConsumer } from './world.ts'

/** A consumer that gives up at once what its `isWell` does not let through, and one beside it that takes everything. */
async function replayWorld(stack: AsyncDisposableStack) {
  const world = await eventWorld(stack)
  const state = { isWell: false, handled: [] as string[], beside: [] as string[] }
  const consumer = aConsumer({
    durable: 'weak',
    maxDeliver: 1,
    handle: async (event) => {
      if (!state.isWell) throw new Error(`cannot do ${nameOf(event)}`)
      state.handled.push(nameOf(event))
    },
  })
  const service = await startConsumer(stack, world.nats.url, consumer)
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      durable: 'beside',
      handle: async (event) => void state.beside.push(nameOf(event)),
    }),
  )
  const box = await openDeadLetters(world.connection)
  const letters = async (position = 0, name?: string) => {
    const found: DeadLetter[] = []
    for await (const letter of box.after(position, name)) found.push(letter)
    return found
  }
  const giveUp = async (...sequences: number[]) => {
    const before = (await letters()).length
    await world.publish('a', ...sequences)
    await eventually(async () => expect(await letters()).toHaveLength(before + sequences.length), {
      timeoutMs: 30_000,
    })
    return (await letters()).slice(before)
  }
  return { world, state, service, box, letters, giveUp }
}

test('a letter is replayed to the consumer that gave it up and to no other, and is marked', async () => {
  await using stack = new AsyncDisposableStack()
  const { world, state, box, letters, giveUp } = await replayWorld(stack)
  const [letter] = await giveUp(1)
  await eventually(() => expect(state.beside).toEqual(['a:1']), { timeoutMs: 30_000 })
  expect(letter).toMatchObject({
    consumer: 'weak',
    reason: 'Error: cannot do a:1',
    subject: expect.stringMatching(/^herald\.events\.v1\.post\.org_\w+\.changed$/),
    event: { subject: 'a', sequence: 1 },
    replayedAt: undefined,
  })

  state.isWell = true
  expect(await box.replay(letter!)).toEqual({ outcome: 'handled' })
  expect(state).toMatchObject({ handled: ['a:1'], beside: ['a:1'] })
  const { state: stream } = await world.manager.streams.info(EVENTS_STREAM)
  expect(stream.messages).toBe(1)
  expect(await letters()).toEqual([{ ...letter, replayedAt: expect.any(String) }])
  expect(await box.find(letter!.id)).toMatchObject({ replayedAt: expect.any(String) })
  // What stands behind it in the stream is the mark, which is no letter.
  expect(await box.find(letter!.id + 1)).toBeUndefined()
})

test('a letter whose event fails again stays, with the reason, and is no second letter', async () => {
  await using stack = new AsyncDisposableStack()
  const { box, letters, giveUp } = await replayWorld(stack)
  const [letter] = await giveUp(1)
  expect(await box.replay(letter!)).toEqual({
    outcome: 'failed',
    reason: 'Error: cannot do a:1',
  })
  expect(await letters()).toEqual([letter])
})

test('a replay waits for the event of the same subject that is in work', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const release = gate()
  const order: string[] = []
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      handle: async (event) => {
        order.push(`${nameOf(event)} begins`)
        if (event.sequence === 2) await release.promise
        order.push(`${nameOf(event)} ends`)
      },
    }),
  )
  await world.publish('a', 2)
  await eventually(() => expect(order).toEqual(['a:2 begins']), { timeoutMs: 30_000 })
  const replayed = world.connection.request(
    replaySubject('tests'),
    JSON.stringify(anEvent('a', 1)),
    { timeout: 30_000 },
  )
  await world.connection.flush()
  release.resolve()
  expect((await replayed).json()).toEqual({ handled: true })
  expect(order).toEqual(['a:2 begins', 'a:2 ends', 'a:1 begins', 'a:1 ends'])
})

test('a replay that gets no answer in time is unknown, and its letter stays', async () => {
  await using stack = new AsyncDisposableStack()
  const world = await eventWorld(stack)
  const release = gate()
  let isFirst = true
  await startConsumer(
    stack,
    world.nats.url,
    aConsumer({
      maxDeliver: 1,
      handle: async () => {
        if (!isFirst) return release.promise
        isFirst = false
        throw new Error('not yet')
      },
    }),
  )
  await world.publish('a', 1)
  await eventually(async () => expect(await world.deadLetters()).toHaveLength(1), {
    timeoutMs: 30_000,
  })
  const box = await openDeadLetters(world.connection)
  const letter = await box.find(1)
  expect(await box.replay(letter!, 200)).toEqual({ outcome: 'unknown' })
  expect(await box.find(1)).toEqual(letter)
  release.resolve()
})

test('a consumer of which no process runs is told as absent', async () => {
  await using stack = new AsyncDisposableStack()
  const { service, box, letters, giveUp } = await replayWorld(stack)
  const [letter] = await giveUp(1)
  await service.close()
  expect(await box.replay(letter!)).toEqual({ outcome: 'absent' })
  expect(await letters()).toEqual([letter])
})

test('a letter that is no event is told as such when it is replayed', async () => {
  await using stack = new AsyncDisposableStack()
  const { world, box, letters } = await replayWorld(stack)
  await world.publishRaw('{"no":"event"}')
  await eventually(async () => expect(await letters()).toHaveLength(2), { timeoutMs: 30_000 })
  const [letter] = await letters(0, 'weak')
  expect(letter).toMatchObject({ event: undefined, body: '{"no":"event"}' })
  expect(await box.replay(letter!)).toEqual({
    outcome: 'failed',
    reason: 'It is not a CloudEvent.',
  })
})

test('letters come in pages, oldest first, those of one consumer when it is named', async () => {
  await using stack = new AsyncDisposableStack()
  const { box, state, letters, giveUp } = await replayWorld(stack)
  const [first, second, third] = await giveUp(1, 2, 3)
  state.isWell = true
  await box.replay(second!)
  const sequences = (found: DeadLetter[]) => found.map(({ event }) => event?.sequence)
  expect(sequences(await letters())).toEqual([1, 2, 3])
  expect(sequences(await letters(first!.id))).toEqual([2, 3])
  expect(await letters(third!.id)).toEqual([])
  expect(sequences(await letters(0, 'weak'))).toEqual([1, 2, 3])
  expect(await letters(0, 'beside')).toEqual([])
})

test('before anything was stored there are no letters', async () => {
  await using stack = new AsyncDisposableStack()
  const { connection, manager } = await eventWorld(stack)
  const box = await openDeadLetters(connection)
  expect(await box.find(1)).toBeUndefined()
  await manager.streams.delete('HERALD_DEAD_LETTERS')
  expect(await box.find(1)).toBeUndefined()
  expect((await box.after(0).next()).done).toBe(true)
})
