import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import { tiktokRules } from './rules.ts'

const OPTIONS = { privacyLevel: 'SELF_ONLY' }
const PHOTOS = files('image', 'image')
const check = (draft: Parameters<typeof aDraft>[0], limits = {}) =>
  tiktokRules.check(aDraft({ options: OPTIONS, media: files('video'), ...draft }), {
    rules: tiktokRules.defaults,
    limits,
  })

describe('TikTok counts UTF-16 units', () => {
  test.each([
    ['of ASCII', 'hello', 5],
    ['of Chinese, one each', '你好', 2],
    ['of an emoji, two', '🎉', 2],
    ['of a family, all of its people', '👨‍👩‍👧', 8],
    ['of a link in full', 'https://example.com', 19],
  ])('%s', (_, text, expected) => {
    expect(tiktokRules.countText(text, {})).toBe(expected)
  })
})

describe('TikTok takes', () => {
  test.each<[string, Parameters<typeof check>[0], object[]]>([
    ['a video without a text', { text: '' }, []],
    ['a video with 2,200 units', { text: '🎉'.repeat(1100) }, []],
    [
      'no longer text for a video',
      { text: '🎉'.repeat(1100) + 'x' },
      [{ rule: 'maxChars', limit: 2200, actual: 2201 }],
    ],
    ['photos with 4,000 units', { text: 'x'.repeat(4000), media: PHOTOS }, []],
    [
      'no longer text for photos',
      { text: 'x'.repeat(4001), media: PHOTOS },
      [{ rule: 'maxChars', limit: 4000, actual: 4001 }],
    ],
    ['photos with a title', { options: { ...OPTIONS, title: 'Boats' }, media: PHOTOS }, []],
    [
      'no video with a title',
      { options: { ...OPTIONS, title: 'Boats' } },
      [{ rule: 'photoTitle', path: 'tiktok.title' }],
    ],
    ['no post without a file', { media: [] }, [{ rule: 'requiresMedia' }]],
    [
      'no post without a privacy level',
      { options: {} },
      [{ rule: 'requiredFields', path: 'tiktok.privacyLevel' }],
    ],
    [
      'no paid partnership for the creator alone',
      { options: { ...OPTIONS, brandContent: true } },
      [{ rule: 'brandContent', path: 'tiktok.privacyLevel' }],
    ],
    ['35 photos', { media: files(...Array<'image'>(35).fill('image')) }, []],
    [
      'no 36th photo',
      { media: files('gif', ...Array<'image'>(35).fill('image')) },
      [{ rule: 'maxImages', limit: 35, actual: 36 }],
    ],
    ['no video beside a photo', { media: files('image', 'video') }, [{ rule: 'mediaMix' }]],
    [
      'no document',
      { media: files('document') },
      [{ rule: 'requiresMedia' }, { rule: 'mediaType' }],
    ],
    [
      'a video of 10 minutes',
      { media: [aFile({ type: 'video', durationSeconds: 600, width: 360, height: 4096 })] },
      [],
    ],
    [
      'no longer, smaller or larger video',
      { media: [aFile({ type: 'video', durationSeconds: 601, width: 359, height: 4097 })] },
      [{ rule: 'maxHeight' }, { rule: 'maxSeconds', limit: 600 }, { rule: 'minWidth' }],
    ],
    [
      'a photo of any size, which is made smaller',
      { media: [aFile({ type: 'image', width: 9000, height: 9000, sizeBytes: 5e7 })] },
      [],
    ],
  ])('%s', (_, draft, expected) => {
    expect(check(draft)).toEqual(expected.map((finding) => expect.objectContaining(finding)))
  })

  test('what this creator may choose', () => {
    const limits = { privacyLevels: ['FOLLOWER_OF_CREATOR', 'SELF_ONLY'], maxVideoSeconds: 60 }
    const video = (durationSeconds: number) => [aFile({ type: 'video', durationSeconds })]
    expect(check({ media: video(60) }, limits)).toEqual([])
    const options = { privacyLevel: 'PUBLIC_TO_EVERYONE' }
    expect(check({ options, media: video(61) }, limits)).toMatchObject([
      { rule: 'maxSeconds', limit: 60, path: 'mediaIds.0' },
      {
        rule: 'privacyLevel',
        path: 'tiktok.privacyLevel',
        message: expect.stringContaining('FOLLOWER_OF_CREATOR, SELF_ONLY'),
      },
    ])
  })
})
