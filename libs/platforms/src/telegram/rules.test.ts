import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import { telegramRules } from './rules.ts'

const check = (draft: Parameters<typeof aDraft>[0]) =>
  telegramRules.check(aDraft(draft), { rules: telegramRules.defaults, limits: {} })

describe('Telegram counts', () => {
  test.each<[string, string, string | undefined, number]>([
    ['ASCII', 'hello', undefined, 5],
    ['an emoji as two', '🎉', undefined, 2],
    ['no white space at the ends', ' hello\n', undefined, 5],
    ['tags in plain text in full', '<b>hi</b>', undefined, 9],
    ['no tags in HTML', '<b>hi</b> <a href="https://example.com">you</a>', 'HTML', 6],
    ['entities of HTML as one', '&lt;&amp;&#39;&#x27;', 'HTML', 4],
    ['an entity of an emoji as two', '&#127881;', 'HTML', 2],
    ['no marks in MarkdownV2', '*hi* _you_ __and__ ~me~ ||now||', 'MarkdownV2', 17],
    ['escaped marks as one', '1\\. a\\*b', 'MarkdownV2', 6],
    ['the text of a link alone', '[here](https://example.com/a_b)', 'MarkdownV2', 4],
    ['code without its fence', '```js\nlet a\n```', 'MarkdownV2', 5],
    ['a quotation without its mark', '>hi', 'MarkdownV2', 2],
    ['everything with options that are not understood', '<b>', 'BBCode', 3],
  ])('%s', (_, text, parseMode, expected) => {
    expect(telegramRules.countText(text, { parseMode })).toBe(expected)
  })
})

describe('a post to Telegram', () => {
  const mov = aFile({ type: 'video', mimeType: 'video/quicktime' })
  test.each<[string, Parameters<typeof aDraft>[0], string[]]>([
    ['of 4096 characters is taken', { text: 'x'.repeat(4096) }, []],
    ['of 4097 characters is too long', { text: 'x'.repeat(4097) }, ['maxChars']],
    [
      'of 1024 characters with a file is taken',
      { text: 'x'.repeat(1024), media: files('image') },
      [],
    ],
    [
      'of 1025 characters with a file is too long',
      { text: 'x'.repeat(1025), media: files('video') },
      ['maxChars'],
    ],
    ['of nothing is refused', { text: '\u200b' }, ['requiresContent']],
    ['mixes pictures and videos', { text: '', media: files('image', 'video', 'image') }, []],
    ['has no document', { media: files('document') }, ['mediaType']],
    ['has videos that are no MP4, which Telegram shows as files', { media: [mov, mov] }, []],
    ['mixes it with no picture', { media: [mov, ...files('image')] }, ['mediaMix']],
    ['has an animated GIF alone', { media: files('gif', 'image') }, ['mediaMix']],
    ['takes no sound', { media: files('audio') }, ['mediaType']],
    [
      'has ten files at most',
      { media: files(...Array<'image'>(11).fill('image')) },
      ['maxFiles', 'maxImages'],
    ],
    [
      'has a video of 50 MB at most',
      { media: [aFile({ type: 'video', sizeBytes: 50_000_000 })] },
      ['maxFileBytes', 'maxTotalBytes'],
    ],
    [
      'has files of 50 MB together at most',
      { media: Array.from({ length: 2 }, () => aFile({ type: 'video', sizeBytes: 30_000_000 })) },
      ['maxTotalBytes'],
    ],
    [
      'has a picture of any size, which is made to fit',
      { media: [aFile({ type: 'image', sizeBytes: 50_000_000, width: 9000, height: 9000 })] },
      [],
    ],
    [
      'has a picture twenty times as wide as high at most',
      { media: [aFile({ type: 'image', width: 2100, height: 100 })] },
      ['aspectRatio'],
    ],
    [
      'has a picture twenty times as high as wide at most',
      { media: [aFile({ type: 'image', width: 100, height: 2001 })] },
      ['aspectRatio'],
    ],
  ])('%s', (_, draft, expected) => {
    expect(check(draft).map(({ rule }) => rule)).toEqual(expected)
  })

  test('with a file tells the limit of a caption', () => {
    expect(check({ text: 'x'.repeat(2000), media: files('image') })).toMatchObject([
      { rule: 'maxChars', limit: 1024, actual: 2000, path: 'content' },
    ])
  })
})
