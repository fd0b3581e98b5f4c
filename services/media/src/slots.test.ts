import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { slots } from './slots.ts'

/** Work that ends when the test says so. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const state = { isRunning: false }
  return {
    state,
    run: async () => {
      state.isRunning = true
      return promise
    },
    end: () => resolve('done'),
    fail: () => reject(new Error('broken')),
  }
}

const running = (works: ReturnType<typeof work>[]) => works.map(({ state }) => state.isRunning)

describe('slots', () => {
  test('let so many pieces of work run and serve those who wait in order', async () => {
    const { run } = slots({ most: 2, mostOfOne: 2, waitMs: 60_000 })
    const works = Array.from({ length: 4 }, work)
    const answers = works.map((one) => run('a', one.run))
    await turn()
    expect(running(works)).toEqual([true, true, false, false])
    works[1]!.end()
    expect(await answers[1]).toBe('done')
    await turn()
    expect(running(works)).toEqual([true, true, true, false])
    for (const one of works) one.end()
    expect(await Promise.all(answers)).toEqual(['done', 'done', 'done', 'done'])
  })

  test('pass by an owner whose places are taken', async () => {
    const { run } = slots({ most: 2, mostOfOne: 1, waitMs: 60_000 })
    const [first, second, other] = [work(), work(), work()]
    const answers = [run('a', first.run), run('a', second.run), run('b', other.run)]
    await turn()
    expect(running([first, second, other])).toEqual([true, false, true])
    other.end()
    await turn()
    // A place is free now, but not for the owner who has one already.
    expect(second.state.isRunning).toBe(false)
    first.end()
    await turn()
    expect(second.state.isRunning).toBe(true)
    second.end()
    await Promise.all(answers)
  })

  test('are given back by work that fails', async () => {
    const { run } = slots({ most: 1, mostOfOne: 1, waitMs: 60_000 })
    const [first, second] = [work(), work()]
    const failing = run('a', first.run)
    const waiting = run('a', second.run)
    first.fail()
    await expect(failing).rejects.toThrow('broken')
    second.end()
    expect(await waiting).toBe('done')
  })

  test('are refused with 503 to those who have waited long enough, and to no other', async () => {
    const { run } = slots({ most: 1, mostOfOne: 1, waitMs: 20 })
    const [first, late, next] = [work(), work(), work()]
    const answer = run('a', first.run)
    await expect(run('a', late.run)).rejects.toMatchObject({ code: 'internal_error', status: 503 })
    first.end()
    await answer
    next.end()
    expect(await run('a', next.run)).toBe('done')
    expect(late.state.isRunning).toBe(false)
  })
})
