import type { ChannelRules } from '@herald/contracts/platforms'
import { describe, expect, test } from 'vitest'
import { aDraft, files } from '../test/drafts.ts'
import { type CheckedPlatform, checkDraft } from './check.ts'
import type { Draft } from './platform.ts'

const PLATFORM: CheckedPlatform = {
  platform: 'MASTODON',
  name: 'Mastodon',
  countText: (text) => text.length,
  images: ['image'],
  alone: ['gif', 'video'],
  files: {
    image: { maxAltText: 5 },
    gif: {},
    video: { mimeTypes: ['video/mp4'], maxBytes: 1000, maxPixels: 100, maxSeconds: 60 },
  },
  countAltText: (text) => text.length,
}
const RULES: ChannelRules = {
  requiresMedia: false,
  requiresVideo: false,
  maxImages: 2,
  maxChars: 10,
  requiredFields: [],
}

function broken(draft: Partial<Draft>, rules: Partial<ChannelRules> = {}): string[] {
  const findings = checkDraft(aDraft(draft), { ...RULES, ...rules }, PLATFORM)
  return findings.map(({ rule, path }) => `${rule} ${path}`)
}

describe('the rules that all platforms share', () => {
  test.each<[string, Partial<Draft>, Partial<ChannelRules>, string[]]>([
    ['a short text keeps them all', {}, {}, []],
    [
      '66, 67: a blank text breaks requiresContent',
      { text: ' \u200b\n' },
      {},
      ['requiresContent content'],
    ],
    ['a blank text with a file is a post', { text: '', media: files('image') }, {}, []],
    ['a text at the limit keeps it', { text: 'x'.repeat(10) }, {}, []],
    ['a text above the limit breaks it', { text: 'x'.repeat(11) }, {}, ['maxChars content']],
    [
      'a finding names where the text stands',
      { text: '', textPath: 'platformContent.MASTODON' },
      {},
      ['requiresContent platformContent.MASTODON'],
    ],
    ['as many images as allowed may be sent', { media: files('image', 'image') }, {}, []],
    [
      '104: one image more is too many',
      { media: files('image', 'image', 'image') },
      {},
      ['maxImages mediaIds'],
    ],
    [
      '108: a text does not stand for a required image',
      {},
      { requiresMedia: true },
      ['requiresMedia mediaIds'],
    ],
    ['an image is media', { media: files('image') }, { requiresMedia: true }, []],
    [
      'a video is media',
      { media: files('video') },
      { requiresMedia: true, requiresVideo: true },
      [],
    ],
    ['an animated GIF is media', { media: files('gif') }, { requiresMedia: true }, []],
    [
      '109: an image is no video',
      { media: files('image') },
      { requiresVideo: true },
      ['requiresVideo mediaIds'],
    ],
    [
      '109: an animated GIF is no video either',
      { media: files('gif') },
      { requiresVideo: true },
      ['requiresVideo mediaIds'],
    ],
    ['107: a video stands alone', { media: files('video', 'image') }, {}, ['mediaMix mediaIds']],
    ['two videos are not alone', { media: files('video', 'video') }, {}, ['mediaMix mediaIds']],
    [
      '106: files that cannot be sent are each named',
      { media: files('image', 'document', 'audio') },
      {},
      ['mediaType mediaIds.1', 'mediaType mediaIds.2'],
    ],
    [
      '110: a missing field is named',
      {},
      { requiredFields: ['mastodon.language'] },
      ['requiredFields mastodon.language'],
    ],
    [
      '110: a blank field is missing',
      { options: { language: ' ' } },
      { requiredFields: ['mastodon.language'] },
      ['requiredFields mastodon.language'],
    ],
    [
      'a field that is there is not missing',
      { options: { sensitive: false } },
      { requiredFields: ['mastodon.sensitive'] },
      [],
    ],
    [
      'a field deeper down is found',
      { options: { poll: { choices: ['a'] } } },
      { requiredFields: ['mastodon.poll.choices'] },
      [],
    ],
    [
      'what every object inherits is no field',
      {},
      { requiredFields: ['mastodon.constructor'] },
      ['requiredFields mastodon.constructor'],
    ],
    [
      'the text can be a required field',
      { text: '', media: files('image') },
      { requiredFields: ['content'] },
      ['requiredFields content'],
    ],
    [
      'all that is broken is told at once',
      { text: 'x'.repeat(11), media: files('video', 'image', 'image', 'image') },
      { requiredFields: ['mastodon.language'] },
      [
        'maxChars content',
        'requiredFields mastodon.language',
        'mediaMix mediaIds',
        'maxImages mediaIds',
      ],
    ],
  ])('%s', (_, draft, rules, expected) => {
    expect(broken(draft, rules)).toEqual(expected)
  })

  test('a limit is told with what the post has', () => {
    expect(checkDraft(aDraft({ text: 'x'.repeat(11) }), RULES, PLATFORM)).toEqual([
      {
        rule: 'maxChars',
        limit: 10,
        actual: 11,
        path: 'content',
        message: 'The text has 11 characters as Mastodon counts them; this channel takes 10.',
      },
    ])
  })
})
