import { expect, test } from 'vitest'
import { newId, PostId } from './ids.ts'

test('a new id has its kind in front and is accepted by the schema of its kind only', () => {
  const id = newId('post')
  expect(id).toMatch(/^post_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  expect(PostId.safeParse(id).success).toBe(true)
  expect(PostId.safeParse(newId('channel')).success).toBe(false)
})

test('ids of one kind sort by the time they were made', () => {
  const times = [0, 1, 31, 32, 1_000, 1_700_000_000_000, 1_700_000_000_001, 2 ** 47]
  const ids = times.map((time) => newId('event', time))
  expect(ids.toSorted()).toEqual(ids)
})

test('ids made in the same millisecond differ', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('post', 1_700_000_000_000))
  expect(new Set(ids).size).toBe(ids.length)
})
