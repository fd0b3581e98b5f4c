import { expect, test } from 'vitest'
import { rkeyOf } from './rkey.ts'

const AT = Date.UTC(2026, 10, 21, 9, 30)
const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz'

test('one post on one channel always has the same record key', () => {
  const input = { rkeyTime: AT, idempotencyKey: 'post_1.chan_1.1' }
  expect(rkeyOf(input)).toBe(rkeyOf({ ...input }))
  // Written down, because a call that is looked up after an update must still be found.
  expect(rkeyOf(input)).toBe('3n2ss2n2q2dxy')
})

test('a record key is a TID', () => {
  for (let index = 0; index < 1000; index++)
    expect(rkeyOf({ rkeyTime: AT + index * 86_400_000, idempotencyKey: `key ${index}` })).toMatch(
      /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/,
    )
})

test('record keys sort by time', () => {
  const keys = Array.from({ length: 1000 }, (_, index) =>
    rkeyOf({ rkeyTime: AT + index, idempotencyKey: `key ${index}` }),
  )
  expect(keys.toSorted()).toEqual(keys)
})

test('posts of the same millisecond have different record keys', () => {
  const keys = Array.from({ length: 100 }, (_, index) =>
    rkeyOf({ rkeyTime: AT, idempotencyKey: `key ${index}` }),
  )
  expect(new Set(keys).size).toBe(keys.length)
})

test('the time can be read back from a record key to the millisecond', () => {
  let value = 0n
  for (const character of rkeyOf({ rkeyTime: AT, idempotencyKey: 'any' }))
    value = value * 32n + BigInt(ALPHABET.indexOf(character))
  expect((value >> 10n) / 1000n).toBe(BigInt(AT))
})
