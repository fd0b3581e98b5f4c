import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { facetsOf, partsOf } from './facets.ts'

const DIDS = { 'ada.test': 'did:plc:ada', 'bob.example.com': 'did:plc:bob' }

/** What a reader of the record sees: the bytes of each facet as text, with what it stands for. */
function seen(text: string): string[] {
  const bytes = new TextEncoder().encode(text)
  return facetsOf(text, DIDS).map(({ index, features: [feature] }) => {
    const shown = new TextDecoder().decode(bytes.slice(index.byteStart, index.byteEnd))
    const [, target] = Object.values(feature!)
    return `${shown} -> ${target}`
  })
}

describe('the parts of a text that become links', () => {
  test.each<[string, string, string[]]>([
    ['plain text has none', 'Hello, world', []],
    ['a link', 'see https://example.com/a b', ['https://example.com/a -> https://example.com/a']],
    [
      'a link behind emoji and accents',
      '👨‍👩‍👧‍👦 é e\u0301 https://a.io/ü!',
      ['https://a.io/ü -> https://a.io/ü'],
    ],
    ['a link behind right-to-left text', 'שלום https://a.io', ['https://a.io -> https://a.io']],
    ['a link without the full stop', 'https://a.io/x. Yes', ['https://a.io/x -> https://a.io/x']],
    ['a link in brackets', '(https://a.io/x)', ['https://a.io/x -> https://a.io/x']],
    ['a link with brackets', 'https://a.io/x_(y).', ['https://a.io/x_(y) -> https://a.io/x_(y)']],
    [
      'a link with brackets in brackets',
      '(https://a.io/x_(y))',
      ['https://a.io/x_(y) -> https://a.io/x_(y)'],
    ],
    ['a link in quotation marks', '"https://a.io/x"', ['https://a.io/x -> https://a.io/x']],
    [
      'a link before Chinese punctuation',
      '看 https://a.io/x。',
      ['https://a.io/x -> https://a.io/x'],
    ],
    ['no link that is stuck to a word', '看https://a.io', []],
    ['no link without a host', 'https:// and http://', []],
    ['no link of another protocol', 'javascript:alert(1) ftp://a.io', []],
    [
      'the same link twice',
      'https://a.io https://a.io',
      ['https://a.io -> https://a.io', 'https://a.io -> https://a.io'],
    ],
    ['a tag', 'so #happy now', ['#happy -> happy']],
    [
      'a tag of emoji and letters',
      '#über #日本 #🎉',
      ['#über -> über', '#日本 -> 日本', '#🎉 -> 🎉'],
    ],
    ['a tag with the wide sign', '＃日本', ['＃日本 -> 日本']],
    ['a tag without punctuation', '#happy, #sad!', ['#happy -> happy', '#sad -> sad']],
    ['a tag at the start of a line', 'a\n#b', ['#b -> b']],
    ['no tag of digits alone', '#1 #2026', []],
    ['a tag with digits', '#4you', ['#4you -> 4you']],
    ['no tag within a word', 'a#b', []],
    ['no tag of a keycap', '#\ufe0f\u20e3', []],
    ['a tag of 64 characters', `#${'x'.repeat(64)}`, [`#${'x'.repeat(64)} -> ${'x'.repeat(64)}`]],
    ['no tag of 65', `#${'x'.repeat(65)}`, []],
    ['no tag in a link', 'https://a.io/#part', ['https://a.io/#part -> https://a.io/#part']],
    ['a mention', 'hi @ada.test!', ['@ada.test -> did:plc:ada']],
    ['a mention in capitals', '@Ada.Test', ['@Ada.Test -> did:plc:ada']],
    ['a mention before a full stop', 'hi @bob.example.com.', ['@bob.example.com -> did:plc:bob']],
    ['a mention in brackets', '(@ada.test)', ['@ada.test -> did:plc:ada']],
    ['no mention that was not resolved', '@eve.test', []],
    ['no mention without a dot', '@ada', []],
    ["no mention of an object's own names", '@constructor @__proto__.test', []],
    ['no mention in an e-mail address', 'x@ada.test', []],
    ['no mention of the Fediverse', '@ada.test@example.social @x@ada.test', []],
    [
      'no mention in a link',
      'https://a.io/@ada.test',
      ['https://a.io/@ada.test -> https://a.io/@ada.test'],
    ],
    [
      'all kinds in the order of the text',
      '🎈#b @ada.test https://a.io #c',
      ['@ada.test -> did:plc:ada', 'https://a.io -> https://a.io', '#c -> c'],
    ],
  ])('%s', (_, text, expected) => {
    expect(seen(text)).toEqual(expected)
  })
})

const fragment = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'https://a.io/ü',
    ' ',
    '\n',
    '#tag',
    '@ada.test',
    '(',
    ')',
    '.',
    '👨‍👩‍👧‍👦',
    'é',
    '#日本',
  ),
)
const text = fc.array(fragment, { maxLength: 30 }).map((fragments) => fragments.join(''))

describe('for any text', () => {
  test('the bytes of a facet are the text it was made of', () => {
    fc.assert(
      fc.property(text, (value) => {
        const bytes = new TextEncoder().encode(value)
        const parts = partsOf(value).filter(({ kind }) => kind !== 'mention')
        const facets = facetsOf(value, {})
        expect(facets.length).toBe(parts.length)
        for (const [position, { index }] of facets.entries()) {
          const slice = bytes.slice(index.byteStart, index.byteEnd)
          const { start, end } = parts[position]!
          const shown = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(slice)
          expect(shown).toBe(value.slice(start, end))
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('no two parts overlap, and each shows what it stands for', () => {
    fc.assert(
      fc.property(text, (value) => {
        let end = 0
        for (const part of partsOf(value)) {
          expect(part.start).toBeGreaterThanOrEqual(end)
          expect(part.end).toBeGreaterThan(part.start)
          expect(value.slice(part.start, part.end).endsWith(part.value)).toBe(true)
          end = part.end
        }
      }),
      { numRuns: 1000 },
    )
  })
})
