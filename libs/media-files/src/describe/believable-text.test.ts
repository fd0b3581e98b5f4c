import { expect, test } from 'vitest'
import { believableText } from './believable-text.ts'

test.each<[string, [string, number][], string | null]>([
  [
    'words that were read surely are the text',
    [
      ['Summer', 95],
      ['Sale', 91],
    ],
    'Summer Sale',
  ],
  [
    'a word that was read unsurely is left out',
    [
      ['Summer', 95],
      ['S4l', 40],
    ],
    'Summer',
  ],
  [
    'signs without a letter or digit are left out',
    [
      ['Summer', 95],
      ['~=', 95],
    ],
    'Summer',
  ],
  ['numbers are text', [['2026', 90]], '2026'],
  ['letters of any script are text', [['Größe', 90]], 'Größe'],
  ['a few sure words among many unsure ones are chance', [['oh', 80], ...unsure(10)], null],
  ['a single letter is no text', [['A', 99]], null],
  ['nothing read is no text', [], null],
])('%s', (_, words, expected) => {
  expect(believableText(words.map(([text, confidence]) => ({ text, confidence })))).toBe(expected)
})

function unsure(count: number): [string, number][] {
  return Array.from({ length: count }, () => ['EAL', 34])
}
