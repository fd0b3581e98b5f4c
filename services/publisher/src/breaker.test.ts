import { describe, expect, test } from 'vitest'
import { createBreaker } from './breaker.ts'

function breakerWorld(fewestAccounts = 1) {
  const clock = { now: 1_000_000 }
  const breaker = createBreaker({ fewestAccounts, now: () => clock.now })
  const fail = (account = 'a') => breaker.failed(breaker.pass(account))
  return {
    clock,
    breaker,
    fail,
    /** Calls pause after this. Answers for how long. */
    trip: () => Array.from({ length: 5 }, () => fail()).at(-1),
  }
}

describe('calls pause', () => {
  test('after five failures in a row, for five seconds', () => {
    const { breaker, fail, clock } = breakerWorld()
    expect([fail(), fail(), fail(), fail()]).toEqual(Array(4).fill(undefined))
    expect(breaker.waitUntil()).toBeUndefined()
    expect(fail()).toBe(5_000)
    expect(breaker.waitUntil()).toBe(clock.now + 5_000)
  })

  test('not when a call in between worked', () => {
    const { breaker, fail } = breakerWorld()
    for (let run = 0; run < 10; run++) {
      expect([fail(), fail(), fail(), fail()]).toEqual(Array(4).fill(undefined))
      expect(breaker.succeeded()).toBe(false)
    }
  })

  test('not for failures that are minutes apart', () => {
    const { breaker, fail, clock } = breakerWorld()
    for (let run = 0; run < 20; run++) {
      fail()
      clock.now += 90_000
    }
    expect(breaker.waitUntil()).toBeUndefined()
  })

  test('for all only when several accounts fail', () => {
    const { breaker, fail } = breakerWorld(2)
    for (let run = 0; run < 20; run++) expect(fail('a')).toBeUndefined()
    expect(breaker.waitUntil()).toBeUndefined()
    expect(fail('b')).toBe(5_000)
  })
})

describe('after a pause', () => {
  test('one call is let through, and the others wait for it', () => {
    const { breaker, clock, trip } = breakerWorld()
    trip()
    clock.now += 5_000
    expect(breaker.waitUntil()).toBeUndefined()
    expect(breaker.pass('a').isProbe).toBe(true)
    expect(breaker.waitUntil()).toBe(clock.now + 15_000)
  })

  test('all calls go on when it works', () => {
    const { breaker, clock, trip, fail } = breakerWorld()
    trip()
    clock.now += 5_000
    breaker.pass('a')
    expect(breaker.succeeded()).toBe(true)
    expect(breaker.waitUntil()).toBeUndefined()
    expect(breaker.pass('a').isProbe).toBe(false)
    // And it takes as many failures as before.
    expect([fail(), fail(), fail(), fail()]).toEqual(Array(4).fill(undefined))
  })

  test('the next one is twice as long when it fails, up to two minutes', () => {
    const { breaker, clock, trip } = breakerWorld()
    const pauses = [trip()]
    for (let run = 0; run < 7; run++) {
      clock.now = breaker.waitUntil() ?? clock.now
      pauses.push(breaker.failed(breaker.pass('a')))
    }
    const seconds = pauses.map((ms) => (ms ?? 0) / 1000)
    expect(seconds).toEqual([5, 10, 20, 40, 80, 120, 120, 120])
  })

  test('the next call is let through when it said nothing', () => {
    const { breaker, clock, trip } = breakerWorld()
    trip()
    clock.now += 5_000
    breaker.saidNothing(breaker.pass('a'))
    expect(breaker.waitUntil()).toBeUndefined()
    expect(breaker.pass('a').isProbe).toBe(true)
  })
})

describe('a call that was under way when the pause began', () => {
  test('does not make it longer by failing', () => {
    const { breaker, clock, trip } = breakerWorld()
    const early = breaker.pass('a')
    trip()
    clock.now += 1_000
    expect(breaker.failed(early)).toBeUndefined()
    expect(breaker.waitUntil()).toBe(clock.now + 4_000)
  })

  test('ends it by working', () => {
    const { breaker, trip } = breakerWorld()
    trip()
    expect(breaker.succeeded()).toBe(true)
    expect(breaker.waitUntil()).toBeUndefined()
  })
})
