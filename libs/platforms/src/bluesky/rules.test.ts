import { describe, expect, test } from 'vitest'
import { aDraft, files } from '../../test/drafts.ts'
import { blueskyRules } from './rules.ts'

const check = (draft: Parameters<typeof aDraft>[0]) =>
  blueskyRules.check(aDraft(draft), { rules: blueskyRules.defaults })

const FAMILY = '👨‍👩‍👧‍👦' // 25 bytes

describe('Bluesky takes', () => {
  test.each([
    ['300 letters', 'x'.repeat(300), []],
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
      'no 301 families, for two reasons',
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
  ])('%s', (_, media, expected) => {
    expect(check({ media }).map(({ rule }) => rule)).toEqual(expected)
  })
})
