import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import { instagramRules } from './rules.ts'

const rules = (draft: Parameters<typeof aDraft>[0]) =>
  instagramRules
    .check(aDraft(draft), { rules: instagramRules.defaults, limits: {} })
    .map(({ rule, path }) => `${rule} ${path}`)

const media = files('image')
const story = { story: true }

describe('Instagram takes', () => {
  test.each<[string, Parameters<typeof aDraft>[0], string[]]>([
    ['108: no text alone', {}, ['requiresMedia mediaIds']],
    ['a picture without a text', { text: '', media }, []],
    ['2,200 characters', { text: 'x'.repeat(2200), media }, []],
    ['no more', { text: 'x'.repeat(2201), media }, ['maxChars content']],
    ['an emoji as two', { text: '🎉'.repeat(1101), media }, ['maxChars content']],
    ['30 hashtags', { text: '#a '.repeat(30), media }, []],
    ['no 31st', { text: '#a '.repeat(31), media }, ['maxHashtags content']],
    ['20 mentions', { text: '@a '.repeat(20), media }, []],
    ['no 21st', { text: '@a '.repeat(21), media }, ['maxMentions content']],
    ['pictures and videos together', { media: files('image', 'video', 'gif') }, []],
    ['ten files', { media: files(...Array(10).fill('video')) }, []],
    ['no eleventh', { media: files(...Array(11).fill('video')) }, ['maxFiles mediaIds']],
    [
      'no document',
      { media: files('document') },
      ['requiresMedia mediaIds', 'mediaType mediaIds.0'],
    ],
    ['a story of one file', { text: '', media, options: story }, []],
    ['no story with a text', { media, options: story }, ['storyText content']],
    [
      'no story of two files',
      { text: '', media: files('image', 'image'), options: story },
      ['maxFiles mediaIds'],
    ],
    [
      'a cover within the video',
      {
        media: [aFile({ type: 'video', durationSeconds: 10 })],
        options: { coverOffsetMs: 9999 },
      },
      [],
    ],
    [
      'no cover after its end',
      {
        media: [aFile({ type: 'video', durationSeconds: 10 })],
        options: { coverOffsetMs: 10_000 },
      },
      ['coverOffset instagram.coverOffsetMs'],
    ],
  ])('%s', (_, draft, expected) => {
    expect(rules(draft)).toEqual(expected)
  })

  test.each<[string, Parameters<typeof aFile>[0], Record<string, unknown>, string[]]>([
    ['a picture of 4 to 5', { type: 'image', width: 800, height: 1000 }, {}, []],
    ['no narrower one', { type: 'image', width: 799, height: 1000 }, {}, ['aspectRatio']],
    ['a picture of 1.91 to 1', { type: 'image', width: 1910, height: 1000 }, {}, []],
    ['no wider one', { type: 'gif', width: 1911, height: 1000 }, {}, ['aspectRatio']],
    ['a story of 9 to 16', { type: 'image', width: 900, height: 1600 }, story, []],
    ['a reel of 3 seconds', { type: 'video', durationSeconds: 3 }, {}, []],
    ['no shorter one', { type: 'video', durationSeconds: 2.9 }, {}, ['minSeconds']],
    ['a reel of 15 minutes', { type: 'video', durationSeconds: 900 }, {}, []],
    ['no longer one', { type: 'video', durationSeconds: 901 }, {}, ['maxSeconds']],
    [
      'no story of more than a minute',
      { type: 'video', durationSeconds: 61 },
      story,
      ['maxSeconds'],
    ],
    [
      'no story of more than 100 MB',
      { type: 'video', sizeBytes: 100_000_001 },
      story,
      ['maxFileBytes'],
    ],
    ['no WEBM', { type: 'video', mimeType: 'video/webm' }, {}, ['mediaType']],
    [
      'no alt text of 1,001 characters',
      { type: 'image', altText: 'x'.repeat(1001) },
      {},
      ['maxAltText'],
    ],
  ])('%s', (_, file, options, expected) => {
    expect(rules({ text: '', media: [aFile(file)], options })).toEqual(
      expected.map((rule) => `${rule} mediaIds.0`),
    )
  })
})
