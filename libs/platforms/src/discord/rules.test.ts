import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import { discordRules } from './rules.ts'

const MEBIBYTE = 1024 * 1024

const check = (draft: Parameters<typeof aDraft>[0]) =>
  discordRules.check(aDraft(draft), { rules: discordRules.defaults, limits: {} })
const rulesBroken = (draft: Parameters<typeof aDraft>[0]) => check(draft).map(({ rule }) => rule)

describe('Discord counts', () => {
  test.each([
    ['ASCII', 'hello', 5],
    ['a link in full', 'https://example.com/a', 21],
    ['an emoji as two', '🎉', 2],
    ['a family emoji by its parts', '👨‍👩‍👧', 8],
    ['Chinese by its characters', '你好', 2],
  ])('%s', (_, text, expected) => {
    expect(discordRules.countText(text, {})).toBe(expected)
  })
})

describe('a post to Discord', () => {
  test.each<[string, Parameters<typeof aDraft>[0], string[]]>([
    ['of 2000 characters is taken', { text: 'x'.repeat(2000) }, []],
    ['of 2001 characters is too long', { text: 'x'.repeat(2001) }, ['maxChars']],
    ['of nothing is refused', { text: ' ' }, ['requiresContent']],
    ['of a file without a text is taken', { text: '', media: files('image') }, []],
    ['mixes files as it likes', { media: files('image', 'gif', 'video', 'audio') }, []],
    ['has ten files at most', { media: files(...Array<'video'>(11).fill('video')) }, ['maxFiles']],
    [
      'has a video of 10 MiB at most',
      { media: [aFile({ type: 'video', sizeBytes: 10 * MEBIBYTE + 1 })] },
      ['maxFileBytes'],
    ],
    ['has no document', { media: files('document') }, ['mediaType']],
    [
      'has a picture of any size, which is made to fit',
      { media: [aFile({ type: 'image', sizeBytes: 50 * MEBIBYTE })] },
      [],
    ],
    [
      'has files of 25 MiB together at most',
      { media: Array.from({ length: 3 }, () => aFile({ type: 'video', sizeBytes: 9 * MEBIBYTE })) },
      ['maxTotalBytes'],
    ],
    [
      'leaves room for its pictures',
      {
        media: [
          ...Array.from({ length: 3 }, () => aFile({ type: 'video', sizeBytes: 8 * MEBIBYTE })),
          ...files('image', 'image'),
        ],
      },
      ['maxTotalBytes'],
    ],
    [
      'has alt texts of 1024 characters at most',
      { media: [aFile({ type: 'image', altText: 'x'.repeat(1025) })] },
      ['maxAltText'],
    ],
  ])('%s', (_, draft, expected) => {
    expect(rulesBroken(draft)).toEqual(expected)
  })
})
