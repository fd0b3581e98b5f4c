import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import { blueskyRules } from './rules.ts'

const check = (draft: Parameters<typeof aDraft>[0]) =>
  blueskyRules.check(aDraft(draft), { rules: blueskyRules.defaults, limits: {} })

const FAMILY = '👨‍👩‍👧‍👦' // 25 bytes

describe('Bluesky takes', () => {
  test.each([
    ['68: 300 letters', 'x'.repeat(300), []],
    ['no 301st letter', 'x'.repeat(301), [{ rule: 'maxChars', limit: 300, actual: 301 }]],
    ['300 letters with an accent each', 'e\u0301'.repeat(300), []],
    ['300 Chinese characters', '你'.repeat(300), []],
    ['120 families, which are 3000 bytes', FAMILY.repeat(120), []],
    [
      'no 121st family, although they are few characters',
      FAMILY.repeat(121),
      [{ rule: 'maxBytes', limit: 3000, actual: 3025 }],
    ],
    ['one character of 2999 bytes', `x${'\u0301'.repeat(1499)}`, []],
    [
      'no character of 3001 bytes',
      `x${'\u0301'.repeat(1500)}`,
      [{ rule: 'maxBytes', limit: 3000, actual: 3001 }],
    ],
    [
      '69: no 301 families, for two reasons',
      FAMILY.repeat(301),
      [
        { rule: 'maxChars', actual: 301 },
        { rule: 'maxBytes', actual: 7525 },
      ],
    ],
    ['nothing blank', '\u200b \n', [{ rule: 'requiresContent', path: 'content' }]],
  ])('%s', (_, text, expected) => {
    expect(check({ text })).toMatchObject(expected)
  })

  test('links in full', () => {
    const link = `https://example.com/${'x'.repeat(280)}`
    expect(blueskyRules.countText(link, {})).toBe(300)
    expect(check({ text: `${link}y` })).toMatchObject([{ rule: 'maxChars', actual: 301 }])
  })

  test.each([
    ['four images', files('image', 'image', 'image', 'gif'), []],
    ['no fifth image', files('image', 'image', 'image', 'image', 'gif'), ['maxImages']],
    ['a video alone', files('video'), []],
    ['no video beside an image', files('image', 'video'), ['mediaMix']],
    ['no audio', files('audio'), ['mediaType']],
    ['no document', files('document'), ['mediaType']],
  ])('%s', (_, media, expected) => {
    expect(check({ media }).map(({ rule }) => rule)).toEqual(expected)
  })

  test.each<[string, Parameters<typeof aFile>[0], string[]]>([
    ['an image of 50 MB, which is made smaller', { type: 'image', sizeBytes: 50_000_000 }, []],
    ['a large GIF, of which a still is shown', { type: 'gif', sizeBytes: 50_000_000 }, []],
    ['no MOV video', { type: 'video', mimeType: 'video/quicktime' }, ['mediaType']],
    ['no WEBM video', { type: 'video', mimeType: 'video/webm' }, ['mediaType']],
    ['a video of 50 MB', { type: 'video', sizeBytes: 50_000_000 }, []],
    ['no larger video', { type: 'video', sizeBytes: 50_000_001 }, ['maxFileBytes']],
    ['a video of three minutes', { type: 'video', durationSeconds: 180 }, []],
    ['no longer video', { type: 'video', durationSeconds: 181 }, ['maxSeconds']],
    ['an alt text of 2,000 characters', { type: 'image', altText: 'x'.repeat(2000) }, []],
    ['no longer alt text', { type: 'image', altText: 'x'.repeat(2001) }, ['maxAltText']],
    ["a video's alt text of 1,000 characters", { type: 'video', altText: 'x'.repeat(1000) }, []],
    ['no longer one', { type: 'video', altText: 'x'.repeat(1001) }, ['maxAltText']],
    ["400 families in a video's alt text", { type: 'video', altText: FAMILY.repeat(400) }, []],
    [
      'not 401, which are 10,025 bytes',
      { type: 'video', altText: FAMILY.repeat(401) },
      ['maxAltText'],
    ],
  ])('%s', (_, file, expected) => {
    const found = check({ text: '', media: [aFile(file)] })
    expect(found.map(({ rule }) => rule)).toEqual(expected)
    for (const { path } of found) expect(path).toBe('mediaIds.0')
  })
})
