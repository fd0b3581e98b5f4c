import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import { facebookRules } from './rules.ts'

const rules = (draft: Parameters<typeof aDraft>[0]) =>
  facebookRules
    .check(aDraft(draft), { rules: facebookRules.defaults, limits: {} })
    .map(({ rule, path }) => `${rule} ${path}`)

const reel = { reel: true }

describe('Facebook takes', () => {
  test.each<[string, Parameters<typeof aDraft>[0], string[]]>([
    ['63,206 characters', { text: 'x'.repeat(63_206) }, []],
    ['no more', { text: 'x'.repeat(63_207) }, ['maxChars content']],
    ['nothing blank', { text: ' ' }, ['requiresContent content']],
    ['ten pictures', { media: files(...Array(10).fill('image')) }, []],
    ['no eleventh', { media: files(...Array(11).fill('gif')) }, ['maxImages mediaIds']],
    ['a video alone', { media: files('video') }, []],
    ['no video beside a picture', { media: files('video', 'image') }, ['mediaMix mediaIds']],
    ['no document', { media: files('document') }, ['mediaType mediaIds.0']],
    ['a link', { options: { link: 'https://a.example' } }, []],
    [
      'no link beside files',
      { options: { link: 'https://a.example' }, media: files('image') },
      ['linkWithFiles facebook.link'],
    ],
    ['no reel without a video', { options: reel }, ['reelVideo facebook.reel']],
    [
      'no reel of a picture',
      { options: reel, media: files('image') },
      ['mediaType mediaIds.0', 'reelVideo facebook.reel'],
    ],
    ['no title without a video', { options: { title: 'Boats' } }, ['titleVideo facebook.title']],
  ])('%s', (_, draft, expected) => {
    expect(rules(draft)).toEqual(expected)
  })

  test.each<[string, Parameters<typeof aFile>[0], Record<string, unknown>, string[]]>([
    [
      'a picture of any size and shape',
      { type: 'image', sizeBytes: 5e7, width: 9e3, height: 9 },
      {},
      [],
    ],
    ['a video of an hour', { type: 'video', durationSeconds: 3600 }, {}, []],
    ['no WEBM', { type: 'video', mimeType: 'video/webm' }, {}, ['mediaType']],
    [
      'a reel of 9 to 16',
      { type: 'video', width: 1080, height: 1920, durationSeconds: 90 },
      reel,
      [],
    ],
    ['no wide reel', { type: 'video', width: 1920, height: 1080 }, reel, ['aspectRatio']],
    ['no small reel', { type: 'video', width: 360, height: 640 }, reel, ['minWidth', 'minHeight']],
    ['no reel of 91 seconds', { type: 'video', durationSeconds: 91 }, reel, ['maxSeconds']],
    ['no reel of two seconds', { type: 'video', durationSeconds: 2 }, reel, ['minSeconds']],
  ])('%s', (_, file, options, expected) => {
    expect(rules({ media: [aFile(file)], options })).toEqual(
      expected.map((rule) => `${rule} mediaIds.0`),
    )
  })
})
