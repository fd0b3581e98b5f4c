import { AppError, unavailable } from '@herald/contracts/errors'
import { expect, test } from 'vitest'
import { keyCache } from '../src/key-cache.ts'

/** A cache over a table of answers, with a clock that is moved by hand. */
function testCache(answers: Record<string, string | Error>, maxEntries = 100) {
  const clock = { ms: 0 }
  const asked: string[] = []
  const cache = keyCache<{ id: string }>({
    look: async (digest) => {
      asked.push(digest)
      const answer = answers[digest] ?? new AppError('unauthorized', 'No.')
      if (answer instanceof Error) throw answer
      return { id: answer }
    },
    idOf: ({ id }) => id,
    isRefusal: (error) => error instanceof AppError && error.code === 'unauthorized',
    elapsed: () => clock.ms,
    maxEntries,
  })
  return { cache, asked, clock, answers }
}

test('an answer is kept for less than 5 s', async () => {
  const { cache, asked, clock } = testCache({ a: 'key_a' })
  await cache.get('a')
  clock.ms = 4_999
  expect(await cache.get('a')).toEqual({ id: 'key_a' })
  expect(asked).toEqual(['a'])
  clock.ms = 5_000
  await cache.get('a')
  expect(asked).toEqual(['a', 'a'])
})

test('a refusal is kept for less than 1 s', async () => {
  const { cache, asked, clock } = testCache({})
  await expect(async () => cache.get('x')).rejects.toThrow('No.')
  clock.ms = 999
  await expect(async () => cache.get('x')).rejects.toThrow('No.')
  expect(asked).toEqual(['x'])
  clock.ms = 1_000
  await expect(async () => cache.get('x')).rejects.toThrow('No.')
  expect(asked).toEqual(['x', 'x'])
})

test('an outage is not kept', async () => {
  const { cache, answers } = testCache({ a: unavailable() })
  await expect(async () => cache.get('a')).rejects.toThrow('unavailable')
  answers['a'] = 'key_a'
  expect(await cache.get('a')).toEqual({ id: 'key_a' })
})

test('a hundred requests at once ask once', async () => {
  const { cache, asked } = testCache({ a: 'key_a' })
  await Promise.all(Array.from({ length: 100 }, async () => cache.get('a')))
  expect(asked).toEqual(['a'])
})

test('forgetting a key leaves the others', async () => {
  const { cache, asked } = testCache({ a: 'key_a', b: 'key_b' })
  await cache.get('a')
  await cache.get('b')
  cache.evict('key_a')
  await cache.get('a')
  await cache.get('b')
  expect(asked).toEqual(['a', 'b', 'a'])
})

test('an answer that was on its way while a key was forgotten is not kept', async () => {
  const { cache, asked } = testCache({ a: 'key_a' })
  const asking = cache.get('a')
  cache.evict('key_a')
  await asking
  await cache.get('a')
  expect(asked).toEqual(['a', 'a'])
})

test('guesses push out the oldest guess, and no real key', async () => {
  const { cache, asked } = testCache({ a: 'key_a' }, 2)
  await cache.get('a')
  for (const guess of ['x', 'y', 'z', 'x'])
    await expect(async () => cache.get(guess)).rejects.toThrow('No.')
  await cache.get('a')
  expect(asked).toEqual(['a', 'x', 'y', 'z', 'x'])
})

test('no more keys are kept than allowed', async () => {
  const { cache, asked } = testCache({ a: 'key_a', b: 'key_b', c: 'key_c' }, 2)
  for (const digest of ['a', 'b', 'c', 'c', 'a']) await cache.get(digest)
  expect(asked).toEqual(['a', 'b', 'c', 'a'])
})
