import { describe, expect, test } from 'vitest'
import { isNoneMatch, readIfMatch } from './entity-tags.ts'

describe('If-Match', () => {
  test.each([
    ['*', '*'],
    [' * ', '*'],
    ['"a"', ['"a"']],
    ['""', ['""']],
    ['"a", "b"', ['"a"', '"b"']],
    ['"a","b" ,\t"c"', ['"a"', '"b"', '"c"']],
    ['"a,b"', ['"a,b"']],
    ['"a",, "b",', ['"a"', '"b"']],
    ['W/"a", "b"', ['"b"']],
    ['W/"a"', []],
    ['"ü"', ['"ü"']],
  ])('%j means %j', (header, tags) => {
    expect(readIfMatch(header)).toEqual(tags)
  })

  test.each([
    '',
    ' ',
    'a',
    '"a',
    'a"',
    "'a'",
    '"a" "b"',
    'w/"a"',
    '*, "a"',
    '"a", *',
    '"a b"',
    ',',
  ])('%j is refused, because nobody knows what it asks for', (header) => {
    expect(() => readIfMatch(header)).toThrow(
      expect.objectContaining({ code: 'validation_failed', status: 422 }),
    )
  })

  test('that is as long as headers may be is read at once', () => {
    const hostile = `${'"a",'.repeat(4_000)}${' '.repeat(8_000)}x`
    expect(() => readIfMatch(hostile)).toThrow('not a list')
    expect(readIfMatch('"a",'.repeat(4_000))).toHaveLength(4_000)
  })
})

describe('If-None-Match', () => {
  test.each([
    [undefined, true],
    ['*', false],
    ['"now"', false],
    ['W/"now"', false],
    ['"before", "now"', false],
    ['"before"', true],
    ['now', true],
    ['"before", now', true],
    ['', true],
  ])('%j asks for an answer: %s', (header, isWanted) => {
    expect(isNoneMatch(header, '"now"')).toBe(isWanted)
  })
})
