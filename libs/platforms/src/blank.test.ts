import { expect, test } from 'vitest'
import { isBlank } from './blank.ts'

test.each([
  ['nothing', ''],
  ['spaces and line breaks', ' \t\r\n\u00a0\u3000\u2028'],
  ['zero-width characters', '\u200b\u200c\u200d\u2060\ufeff'],
  ['soft hyphens and directional marks', '\u00ad\u200e\u200f\u202a\u202e\u2066'],
  ['Hangul fillers', '\u115f\u1160\u3164\uffa0'],
  ['a variation selector', '\ufe0f'],
  ['an empty Braille pattern', '\u2800'],
  ['control characters', '\u0001\u007f'],
])('a text of %s is blank', (_, text) => {
  expect(isBlank(text)).toBe(true)
})

test.each(['.', ' a ', '\u200bא', '👩‍👩‍👧', '\u2801'])('%j is not blank', (text) => {
  expect(isBlank(text)).toBe(false)
})
