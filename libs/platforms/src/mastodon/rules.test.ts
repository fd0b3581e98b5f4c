import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import { mastodonRules } from './rules.ts'

const count = (text: string, options = {}) => mastodonRules.countText(text, options)
const check = (draft: Parameters<typeof aDraft>[0], rules = mastodonRules.defaults) =>
  mastodonRules.check(aDraft(draft), { rules, limits: {} })

describe('Mastodon counts', () => {
  test.each([
    ['ASCII', 'hello', 5],
    ['a line break as one', 'a\nb', 3],
    ['CR LF as one', 'a\r\nb', 3],
    ['a family emoji as one', '👨‍👩‍👧‍👦', 1],
    ['a waving hand with a skin tone as one', '👋🏽', 1],
    ['a flag as one', '🇩🇪', 1],
    ['two flags as two', '🇩🇪🇫🇷', 2],
    ['a heart with a variation selector as one', '❤️', 1],
    ['a keycap as one', '1️⃣', 1],
    ['a composed é as one', '\u00e9', 1],
    ['a decomposed é as one', 'e\u0301', 1],
    ['a letter with many marks as one', `a${'\u0301'.repeat(50)}`, 1],
    ['Hangul syllables in parts as one each', '\u1112\u1161\u11ab', 1],
    ['Hebrew with points by its letters', 'שָׁלוֹם', 4],
    ['Arabic and the marks of direction', '\u202bسلام\u202c', 6],
    ['Chinese by its characters', '你好世界', 4],
    ['a mathematical letter as one', '𝒳', 1],
  ])('%s', (_, text, expected) => {
    expect(count(text)).toBe(expected)
  })

  test.each([
    ['a short link as 23', 'http://a.io', 23],
    ['a long link as 23', `https://example.com/${'x'.repeat(300)}`, 23],
    ['the text around it', 'see https://example.com/a now', 4 + 23 + 4],
    ['the full stop behind it', 'See https://example.com/a.', 4 + 23 + 1],
    ['the brackets around it', '(https://example.com/a)', 1 + 23 + 1],
    ['the brackets in it as part of it', 'https://example.com/a_(b)', 23],
    ['the query as part of it', 'https://example.com/a?b=c&d=e%20f', 23],
    ['the port as part of it', 'https://example.com:8080/a', 23],
    ['a link in capitals', 'HTTPS://EXAMPLE.COM/A', 23],
    ['Chinese right behind a host on its own', 'https://example.com中文', 23 + 2],
    ['Chinese in a path as part of it', 'https://example.com/中文', 23],
    ['two links apart', 'https://a.io/1 https://b.io/2', 23 + 1 + 23],
    ['an address on no public domain in full', 'http://localhost/a', 18],
    ['an address by number in full', 'http://10.0.0.1/a', 17],
    ['an address without http in full', 'example.com', 11],
    ['another protocol in full', 'ftp://example.com', 17],
    ['a link that is stuck to a word in full', 'xhttps://example.com', 20],
  ])('%s', (_, text, expected) => {
    expect(count(text)).toBe(expected)
  })

  test.each([
    ['a mention without its host', '@ada@example.social', 4],
    ['a mention on the own instance in full', '@ada', 4],
    ['the comma behind a mention', '@ada@example.social, hi', 4 + 4],
    ['a mention with dots and dashes', '@a.b-c@example.social', 6],
    ['an e-mail address in full', 'ada@example.social', 18],
    ['a mention in a link as part of it', 'https://example.com/@ada@example.social', 23],
    ['two mentions', '@ada@a.example @bob@b.example', 4 + 1 + 4],
  ])('%s', (_, text, expected) => {
    expect(count(text)).toBe(expected)
  })

  test('the content warning as it stands, links and all', () => {
    expect(count('hello', { spoilerText: 'http://a.io' })).toBe(5 + 11)
  })

  test.each([
    ['brackets', 'https://a.io/' + '('.repeat(50_000)],
    ['at signs', '@a'.repeat(30_000)],
    ['dots', `@${'a.'.repeat(40_000)}`],
    ['starts of links', 'https://'.repeat(10_000)],
    ['labels', `https://${'a.'.repeat(40_000)}`],
    ['full stops', `https://a.io/${'.'.repeat(50_000)}`],
  ])('a long text of %s without taking for ever', (_, text) => {
    expect(count(text)).toBeGreaterThan(0)
  })
})

describe('Mastodon takes', () => {
  test('68, 69: 500 characters, and not one more', () => {
    expect(check({ text: '👨‍👩‍👧‍👦'.repeat(500) })).toEqual([])
    expect(check({ text: '👨‍👩‍👧‍👦'.repeat(501) })).toMatchObject([
      { rule: 'maxChars', limit: 500, actual: 501, path: 'content' },
    ])
  })

  test('the content warning out of the same 500', () => {
    const options = { spoilerText: 'x'.repeat(100) }
    expect(check({ text: 'x'.repeat(400), options })).toEqual([])
    expect(check({ text: 'x'.repeat(401), options })).toMatchObject([
      { rule: 'maxChars', actual: 501 },
    ])
  })

  test("what the instance's own limit says", () => {
    const rules = { ...mastodonRules.defaults, maxChars: 5000, maxImages: 16 }
    expect(check({ text: 'x'.repeat(5000) }, rules)).toEqual([])
    expect(check({ media: files(...Array<'image'>(16).fill('image')) }, rules)).toEqual([])
    expect(check({ text: 'x'.repeat(5001) }, rules)).toMatchObject([{ limit: 5000, actual: 5001 }])
  })

  test.each([
    ['four images', files('image', 'image', 'image', 'image'), []],
    ['no fifth image', files('image', 'image', 'image', 'image', 'image'), ['maxImages']],
    ['a video alone', files('video'), []],
    ['an animated GIF alone', files('gif'), []],
    ['no audio', files('audio'), ['mediaType']],
    ['no video beside an image', files('image', 'video'), ['mediaMix']],
    ['no GIF beside an image', files('gif', 'image'), ['mediaMix']],
    ['no document', files('document'), ['mediaType']],
  ])('%s', (_, media, expected) => {
    expect(check({ media }).map(({ rule }) => rule)).toEqual(expected)
  })

  test.each<[string, Parameters<typeof aFile>[0], string[]]>([
    ['an image of 50 MB, which is made smaller', { type: 'image', sizeBytes: 50_000_000 }, []],
    ['an image of 100 megapixels', { type: 'image', width: 10_000, height: 10_000 }, []],
    ['a GIF below 16 MB', { type: 'gif', sizeBytes: 16_777_215 }, []],
    ['no larger GIF', { type: 'gif', sizeBytes: 16_777_216 }, ['maxFileBytes']],
    ['a GIF of 1280 by 720 pixels', { type: 'gif', width: 1280, height: 720 }, []],
    ['no GIF with more', { type: 'gif', width: 1280, height: 721 }, ['maxPixels']],
    ['a MOV video', { type: 'video', mimeType: 'video/quicktime' }, []],
    ['a WEBM video', { type: 'video', mimeType: 'video/webm' }, []],
    ['no AVI video', { type: 'video', mimeType: 'video/x-msvideo' }, ['mediaType']],
    ['a video of 103 MB', { type: 'video', sizeBytes: 103_000_000 }, []],
    ['no larger video', { type: 'video', sizeBytes: 103_000_001 }, ['maxFileBytes']],
    ['a video of an hour', { type: 'video', durationSeconds: 3600 }, []],
    ['a video in 4K', { type: 'video', width: 3840, height: 2160 }, []],
    ['no video with more pixels', { type: 'video', width: 3840, height: 2161 }, ['maxPixels']],
    ['an alt text of 1,500 characters', { type: 'image', altText: '🎉'.repeat(1500) }, []],
    ['no longer alt text', { type: 'gif', altText: '🎉'.repeat(1501) }, ['maxAltText']],
    [
      'an alt text whose families count for all their people',
      { type: 'video', altText: '👨‍👩‍👧‍👦'.repeat(215) },
      ['maxAltText'],
    ],
  ])('%s', (_, file, expected) => {
    const found = check({ text: '', media: [aFile(file)] })
    expect(found.map(({ rule }) => rule)).toEqual(expected)
    for (const { path } of found) expect(path).toBe('mediaIds.0')
  })
})
