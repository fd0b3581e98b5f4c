import { expect, test } from 'vitest'
import { durationWords, listed, orientation, sentence, sizeWords } from './shape-words.ts'

test.each([
  [1600, 900, 'landscape'],
  [900, 1600, 'portrait'],
  [1000, 1000, 'square'],
  [1000, 975, 'square'],
  [1000, 960, 'landscape'],
  [1, 100_000, 'portrait'],
])('%i by %i is %s', (width, height, expected) => {
  expect(orientation(width, height)).toBe(expected)
})

test.each([
  [0, 'less than a second'],
  [0.4, 'less than a second'],
  [1, '1 second'],
  [59.6, '1 minute'],
  [65, '1 minute 5 seconds'],
  [3600, '1 hour'],
  [7322, '2 hours 2 minutes 2 seconds'],
  [-1, null],
  [NaN, null],
  [Infinity, null],
  [null, null],
])('%d seconds are called %s', (seconds, expected) => {
  expect(durationWords(seconds)).toBe(expected)
})

test('a size is named only when both sides are known', () => {
  expect(sizeWords({ width: 1600, height: 900 })).toBe('1600 by 900 pixels')
  expect(sizeWords({ width: 1600, height: null })).toBeNull()
  expect(sizeWords({ width: 0, height: 900 })).toBeNull()
})

test.each([
  [[], ''],
  [['red'], 'red'],
  [['red', 'blue'], 'red and blue'],
  [['red', 'blue', 'white'], 'red, blue and white'],
])('%j is listed as "%s"', (words, expected) => {
  expect(listed(words)).toBe(expected)
})

test('a sentence begins with a capital, leaves out what is unknown and ends with a full stop', () => {
  expect(sentence('square picture', null, 'mostly red')).toBe('Square picture, mostly red.')
})
