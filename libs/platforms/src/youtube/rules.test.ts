import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import { youtubeRules } from './rules.ts'

const OPTIONS = { title: 'A boat', privacyStatus: 'public' }
const check = (draft: Parameters<typeof aDraft>[0], limits = {}) =>
  youtubeRules.check(aDraft({ options: OPTIONS, media: files('video'), ...draft }), {
    rules: youtubeRules.defaults,
    limits,
  })

describe('YouTube counts the bytes of a description', () => {
  test.each([
    ['of ASCII', 'hello', 5],
    ['of umlauts, two each', 'äöü', 6],
    ['of Chinese, three each', '你好', 6],
    ['of an emoji, four', '🎉', 4],
    ['of a link in full', 'https://example.com', 19],
  ])('%s', (_, text, expected) => {
    expect(youtubeRules.countText(text, {})).toBe(expected)
  })
})

describe('YouTube takes', () => {
  test.each<[string, Parameters<typeof check>[0], object[]]>([
    ['a video with a title', {}, []],
    ['a video without a description', { text: '' }, []],
    ['a description of 5,000 bytes', { text: 'ä'.repeat(2500) }, []],
    [
      'no longer one',
      { text: 'ä'.repeat(2501) },
      [{ rule: 'maxChars', limit: 5000, actual: 5002, path: 'content' }],
    ],
    [
      'no video without a title, or without who sees it',
      { options: { title: ' ' } },
      [
        { rule: 'requiredFields', path: 'youtube.title' },
        { rule: 'requiredFields', path: 'youtube.privacyStatus' },
      ],
    ],
    ['a title of 100 characters', { options: { ...OPTIONS, title: 'x'.repeat(100) } }, []],
    [
      'no longer title',
      { options: { ...OPTIONS, title: 'x'.repeat(101) } },
      [{ rule: 'maxTitle', limit: 100, actual: 101, path: 'youtube.title' }],
    ],
    [
      'no title with a bracket',
      { options: { ...OPTIONS, title: 'a < b' } },
      [{ rule: 'forbiddenCharacters', path: 'youtube.title' }],
    ],
    [
      'no description with a bracket',
      { text: '-> here', textPath: 'platformContent.YOUTUBE' },
      [{ rule: 'forbiddenCharacters', path: 'platformContent.YOUTUBE' }],
    ],
    [
      'tags of 500 characters with their commas',
      { options: { ...OPTIONS, tags: ['x'.repeat(249), 'y'.repeat(250)] } },
      [],
    ],
    [
      'no tags whose quotation marks are too many',
      { options: { ...OPTIONS, tags: ['x'.repeat(249), `a ${'y'.repeat(248)}`] } },
      [{ rule: 'maxTags', limit: 500, actual: 502, path: 'youtube.tags' }],
    ],
    [
      'no post without a video',
      { media: [] },
      [
        { rule: 'requiresMedia', path: 'mediaIds' },
        { rule: 'requiresVideo', path: 'mediaIds' },
      ],
    ],
    [
      'no image beside the video',
      { media: files('video', 'image') },
      [
        { rule: 'mediaMix', path: 'mediaIds' },
        { rule: 'maxImages', limit: 0, actual: 1 },
        { rule: 'mediaType', path: 'mediaIds.1' },
      ],
    ],
    ['no two videos', { media: files('video', 'video') }, [{ rule: 'mediaMix' }]],
    [
      'a video of 200 MB and 12 hours',
      { media: [aFile({ type: 'video', sizeBytes: 200_000_000, durationSeconds: 43_200 })] },
      [],
    ],
    [
      'no larger or longer one',
      { media: [aFile({ type: 'video', sizeBytes: 200_000_001, durationSeconds: 43_201 })] },
      [
        { rule: 'maxFileBytes', path: 'mediaIds.0' },
        { rule: 'maxSeconds', limit: 43_200 },
      ],
    ],
  ])('%s', (_, draft, expected) => {
    const found = check(draft)
    expect(found).toEqual(expected.map((finding) => expect.objectContaining(finding)))
  })

  test('15 minutes from an account that is not verified', () => {
    const video = (durationSeconds: number) => [aFile({ type: 'video', durationSeconds })]
    const limits = { maxVideoSeconds: 900 }
    expect(check({ media: video(900) }, limits)).toEqual([])
    expect(check({ media: video(901) }, limits)).toMatchObject([{ rule: 'maxSeconds', limit: 900 }])
  })
})
