import { describe, expect, test } from 'vitest'
import { sameForm, textOfHtml } from './html-text.ts'

describe("a status's HTML", () => {
  test.each([
    ['paragraphs and line breaks', '<p>one<br />two</p><p>three</p>', 'one\ntwo\n\nthree'],
    [
      'entities',
      '<p>&lt;b&gt; &amp; &quot;x&quot; &#39;y&#x27; &apos; &unknown;</p>',
      `<b> & "x" 'y' ' &unknown;`,
    ],
    ['an entity of an entity', '<p>&amp;lt;</p>', '&lt;'],
    [
      'a shortened link',
      '<p>see <a href="https://example.com/a/long/path" rel="nofollow"><span class="invisible">https://</span><span class="ellipsis">example.com/a/lo</span><span class="invisible">ng/path</span></a></p>',
      'see https://example.com/a/long/path',
    ],
    [
      'a tag',
      '<p><a href="https://x/tags/a" class="mention hashtag">#<span>a</span></a></p>',
      '#a',
    ],
    ['no HTML at all', 'plain', 'plain'],
    ['broken HTML', 'a < b <<<<', 'a < b <<<<'],
    ['a number that is no character', '&#9999999;', '&#9999999;'],
  ])('with %s is read', (_, html, expected) => {
    expect(textOfHtml(html)).toBe(expected)
  })

  test.each([
    ['white space', 'a  b\r\n\r\nc ', 'a b c'],
    ['the host of a mention', 'hi @ada@example.social', 'hi @ada'],
    ['the composition of letters', 'e\u0301', '\u00e9'],
  ])('is compared without regard to %s', (_, one, other) => {
    expect(sameForm(one)).toBe(sameForm(other))
  })

  test.each([
    ['case', 'Hello', 'hello'],
    ['punctuation', 'Hello!', 'Hello'],
  ])('is compared with regard to %s', (_, one, other) => {
    expect(sameForm(one)).not.toBe(sameForm(other))
  })
})
