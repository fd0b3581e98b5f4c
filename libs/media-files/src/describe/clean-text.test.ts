import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanText } from './clean-text.ts'

test.each([
  ['leaves plain text as it is', 'A cat on a roof.', 'A cat on a roof.'],
  ['puts several lines on one', ' one\r\n\n two\u2028three\u00a0four ', 'one two three four'],
  ['drops NUL and other control characters', 'a\u0000b\u0007c\u001b[31m', 'abc[31m'],
  ['drops halves of surrogate pairs', 'a\ud800b\udc00c', 'abc'],
  ['keeps whole surrogate pairs', 'a 😀', 'a 😀'],
  ['drops what turns the direction of text', 'a\u202eb\u2066c\ufeff', 'abc'],
  ['drops private characters', 'a\ue000b', 'ab'],
  ['ends at a word', 'one two three four five', 'one two three four…'],
  ['does not end inside a word', 'one two three fourteen', 'one two three…'],
  ['ends after a word that just fits', 'one two three fours', 'one two three fours'],
  ['cuts a single long word', 'x'.repeat(30), `${'x'.repeat(19)}…`],
  ['does not cut through a surrogate pair', `${'x'.repeat(18)}😀😀`, `${'x'.repeat(18)}…`],
])('%s', (_, text, expected) => {
  expect(cleanText(text, 20)).toBe(expected)
})

test('any text becomes well-formed, short and free of control characters', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(anyText, fc.integer({ min: 2, max: 100 }), (text, max) => {
      const clean = cleanText(text, max)
      expect(clean.isWellFormed()).toBe(true)
      expect(clean.length).toBeLessThanOrEqual(max)
      expect(clean).not.toMatch(/[\p{Cc}\p{Cs}]/u)
    }),
  )
})
