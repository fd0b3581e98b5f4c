import { expect, test } from 'vitest'
import { countText } from './count-text.ts'

test.each([
  ['', 0],
  ['Hello', 5],
  ['日本語', 6],
  ['Здравствуйте', 12],
  ['cafe\u0301', 4],
  ['“quoted” – and…', 16],
  ['👨‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['1️⃣', 2],
  ['👍🏽 ok', 5],
  ['https://example.com/a/very/long/path?with=a&query=of#parts', 23],
  ['Look: example.com, and more', 39],
  ['t.co', 23],
  ['foo.invalid', 11],
  ['http://localhost:8080/', 22],
  ['@ada #herald $X', 15],
  ['a\nb', 3],
])('%j has the length %i on X', (text, length) => {
  expect(countText(text)).toBe(length)
})

test('a text for who may write long ones has its links counted as links', () => {
  const link = `https://example.com/${'y'.repeat(2000)}`
  expect(countText(`${'word '.repeat(700)}${link}`)).toBe(3523)
})

test.each([
  ['a text', `${'x'.repeat(30)} `.repeat(1000), 31_000],
  ['a word', 'x'.repeat(5000), 5000],
  ['a word in Chinese', '語'.repeat(5000), 10_000],
])('%s that is too long for X in any case is counted as well', (_, text, length) => {
  expect(countText(text)).toBe(length)
})

test('a text of the longest kind is counted without looking for links in it, which would take minutes', () => {
  expect(countText('a.'.repeat(50_000))).toBe(100_000)
})
