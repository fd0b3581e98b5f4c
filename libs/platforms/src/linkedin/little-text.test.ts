import { expect, test } from 'vitest'
import { littleText, plainText } from './little-text.ts'

test.each([
  ['Hello, world', 'Hello, world'],
  ['a (b) [c] {d} <e>', 'a \\(b\\) \\[c\\] \\{d\\} \\<e\\>'],
  ['@ada | *x* _y_ ~z~ \\', '\\@ada \\| \\*x\\* \\_y\\_ \\~z\\~ \\\\'],
  ['#tag and #größe, #1', '#tag and #größe, #1'],
  ['# no, a#b, ##c, &#d', '\\# no, a\\#b, \\#\\#c, &\\#d'],
  ['{hashtag|\\#|x}', '\\{hashtag\\|\\\\\\#\\|x\\}'],
  ['🎉#x 日本', '🎉#x 日本'],
])('%j is written as %j for LinkedIn, and read back', (text, little) => {
  expect(littleText(text)).toBe(little)
  expect(plainText(little)).toBe(text)
})

test.each([
  ['see {hashtag|\\#|news} now', 'see #news now'],
  ['{hashtag|#|news}', '#news'],
  ['thanks @[Ada Lovelace](urn:li:person:1)!', 'thanks @Ada Lovelace!'],
])('what LinkedIn makes of a text, %j, is read as %j', (little, text) => {
  expect(plainText(little)).toBe(text)
})
