import { expect, test } from 'vitest'
import { rangeOf } from './byte-range.ts'

test.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=10-19', { start: 10, end: 19 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  [`bytes=90-${'9'.repeat(400)}`, { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['BYTES= 0-9 ', { start: 0, end: 9 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=0-9,20-29', undefined],
  ['bytes=9-0', undefined],
  ['bytes=-', undefined],
  ['bytes=a-b', undefined],
  ['bytes=1.5-2', undefined],
  ['bytes=--5', undefined],
  ['items=0-9', undefined],
  ['', undefined],
  [undefined, undefined],
])('of 100 bytes, %j asks for %j', (header, expected) => {
  expect(rangeOf(header, 100)).toEqual(expected)
})

test('an empty file has no part', () => {
  expect(rangeOf('bytes=0-', 0)).toBe('unsatisfiable')
  expect(rangeOf('bytes=-5', 0)).toBe('unsatisfiable')
})
