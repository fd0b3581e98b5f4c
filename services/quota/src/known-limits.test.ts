import { AppError, unavailable } from '@herald/contracts/errors'
import type { Limits } from '@herald/contracts/quota'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test } from 'vitest'
import { knownLimits } from './known-limits.ts'

/** An accounts service on a clock that stands: what it was asked, and what it answers. */
function testAccounts() {
  const state = {
    ms: 0,
    asked: 0,
    postsPerMonth: 1,
    failure: undefined as unknown,
  }
  const limitsOf = async (): Promise<Limits> => {
    state.asked += 1
    if (state.failure) throw state.failure
    const { postsPerMonth } = state
    return { requestsPerMinute: 1, requestsPerMonth: 1, postsPerMonth }
  }
  const look = knownLimits({ limitsOf }, () => state.ms)
  return { state, postsOf: async (id: string) => (await look(id)).postsPerMonth }
}

describe('what a plan allows', () => {
  test('is asked for once in 5 s for each organization, also by many at once', async () => {
    const { state, postsOf } = testAccounts()
    await Promise.all(['a', 'a', 'b', 'a'].map(postsOf))
    state.ms = 4_999
    state.postsPerMonth = 2
    expect([await postsOf('a'), state.asked]).toEqual([1, 2])
    state.ms = 5_000
    expect(await Promise.all(['a', 'a'].map(postsOf))).toEqual([1, 1])
    expect([await postsOf('a'), state.asked]).toEqual([2, 3])
  })

  test('is waited for when nobody asked for more than a minute', async () => {
    const { state, postsOf } = testAccounts()
    await postsOf('a')
    state.postsPerMonth = 2
    state.ms = 65_000
    expect(await postsOf('a')).toBe(2)
  })

  test('goes on to hold while accounts cannot be asked', async () => {
    const { state, postsOf } = testAccounts()
    await postsOf('a')
    state.failure = unavailable()
    for (state.ms of [10_000, 70_000, 700_000]) expect(await postsOf('a')).toBe(1)
    await expect(postsOf('b')).rejects.toBe(state.failure)
  })

  test('is forgotten when accounts knows the organization no more', async () => {
    const { state, postsOf } = testAccounts()
    await postsOf('a')
    state.failure = new AppError('not_found', 'There is no such organization.')
    state.ms = 5_000
    expect(await postsOf('a')).toBe(1)
    await eventually(() => expect(postsOf('a')).rejects.toBe(state.failure))
  })
})
