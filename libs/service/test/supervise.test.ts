import { loop } from '@herald/service/supervise'
import { eventually } from '@herald/testing/eventually'
import { afterEach, expect, test, vi } from 'vitest'
import { gate, logger } from './world.ts'

const HOUR_MS = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

test('a wake ends a sleep', async () => {
  let rounds = 0
  const work = loop({ name: 'test', logger, run: async () => (++rounds, HOUR_MS) })
  await eventually(() => expect(rounds).toBe(1))
  work.wake()
  await eventually(() => expect(rounds).toBe(2))
  await work.close()
})

test('a wake during a round makes another round follow', async () => {
  const release = gate()
  let rounds = 0
  const work = loop({
    name: 'test',
    logger,
    run: async () => {
      if (++rounds === 1) await release.promise
      return HOUR_MS
    },
  })
  await eventually(() => expect(rounds).toBe(1))
  work.wake()
  release.resolve()
  await eventually(() => expect(rounds).toBe(2))
  await work.close()
})

test('a round that answers 0 is followed by another at once, without starving timers', async () => {
  let rounds = 0
  const work = loop({ name: 'test', logger, run: async () => (++rounds, 0) })
  await eventually(() => expect(rounds).toBeGreaterThan(1_000))
  await work.close()
})

test('failures never end the loop and are followed by growing delays up to 5 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const at: number[] = []
  const work = loop({
    name: 'test',
    logger,
    run: () => {
      at.push(performance.now())
      return Promise.reject(new Error('always'))
    },
  })
  for (let turn = 0; turn < 6_000; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(10)
  }
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0))
  expect(waits.length).toBeGreaterThan(8)
  waits.forEach((wait, index) => {
    const longest = Math.min(250 * 2 ** index, 5_000)
    expect(wait).toBeGreaterThanOrEqual(longest * 0.7)
    expect(wait).toBeLessThanOrEqual(longest * 1.25 + 50)
  })
  const closing = work.close()
  await vi.runAllTimersAsync()
  await closing
})

test('wakes during a failure cut the delay short, but do not make the loop run hot', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  let rounds = 0
  const work = loop({
    name: 'test',
    logger,
    run: () => {
      rounds += 1
      return Promise.reject(new Error('always'))
    },
  })
  for (let turn = 0; turn < 1_000; turn++) {
    work.wake()
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(10)
  }
  // Ten seconds: about one round in a quarter of a second.
  expect(rounds).toBeGreaterThan(20)
  expect(rounds).toBeLessThan(45)
  const closing = work.close()
  await vi.runAllTimersAsync()
  await closing
})

test('closing tells the round, waits for it, and no other follows', async () => {
  const release = gate()
  let rounds = 0
  let signal: AbortSignal | undefined
  const work = loop({
    name: 'test',
    logger,
    run: async (given) => {
      rounds += 1
      signal = given
      await release.promise
      return 0
    },
  })
  await eventually(() => expect(rounds).toBe(1))
  let isClosed = false
  const closing = work.close().then(() => (isClosed = true))
  expect(signal?.aborted).toBe(true)
  expect(isClosed).toBe(false)
  release.resolve()
  await closing
  expect(rounds).toBe(1)
})

test('closing ends a sleep', async () => {
  let rounds = 0
  const work = loop({ name: 'test', logger, run: async () => (++rounds, HOUR_MS) })
  await eventually(() => expect(rounds).toBe(1))
  await work.close()
})

test('a sleep longer than a timer can wait does not become none', async () => {
  let rounds = 0
  const work = loop({ name: 'test', logger, run: async () => (++rounds, Number.POSITIVE_INFINITY) })
  await eventually(() => expect(rounds).toBe(1))
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(rounds).toBe(1)
  await work.close()
})
