import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import type { Draft, MediaFacts } from '../platform.ts'
import { xRules } from './rules.ts'

function broken(draft: Partial<Draft>, rules = {}): string[] {
  const channel = { rules: { ...xRules.defaults, ...rules }, limits: {} }
  return xRules.check(aDraft(draft), channel).map(({ rule, path }) => `${rule} ${path}`)
}

describe('a post to X', () => {
  test.each<[string, Partial<Draft>]>([
    ['a text', { text: 'x'.repeat(280) }],
    [
      'a text with a long link',
      { text: `${'x'.repeat(256)} https://example.com/${'y'.repeat(300)}` },
    ],
    ['four images', { media: files('image', 'image', 'image', 'image') }],
    ['a video without a text', { text: '', media: files('video') }],
    ['an animated GIF', { media: files('gif') }],
    ['one cashtag', { text: 'Up: $AAPL' }],
    ['prices', { text: '$5 and $10' }],
  ])('may have %s', (_, draft) => {
    expect(broken(draft)).toEqual([])
  })

  test.each<[string, Partial<Draft>, string[]]>([
    ['nothing', { text: ' ' }, ['requiresContent content']],
    ['281 characters', { text: 'x'.repeat(281) }, ['maxChars content']],
    ['141 Chinese characters', { text: '語'.repeat(141) }, ['maxChars content']],
    ['five images', { media: files(...Array<'image'>(5).fill('image')) }, ['maxImages mediaIds']],
    ['an image and a video', { media: files('image', 'video') }, ['mediaMix mediaIds']],
    ['two GIFs', { media: files('gif', 'gif') }, ['mediaMix mediaIds']],
    ['a document', { media: files('document') }, ['mediaType mediaIds.0']],
    ['sound', { media: files('audio') }, ['mediaType mediaIds.0']],
    ['two cashtags', { text: '$AAPL and $TSLA' }, ['maxCashtags content']],
    ['a byte order mark', { text: 'a\uFEFFb' }, ['characters content']],
  ])('may not have %s', (_, draft, expected) => {
    expect(broken(draft)).toEqual(expected)
  })

  test('may be longer on a channel that allows more', () => {
    expect(broken({ text: 'x'.repeat(4000) }, { maxChars: 4000 })).toEqual([])
  })
})

describe('a file for X', () => {
  test.each<[string, Partial<MediaFacts> & Pick<MediaFacts, 'type'>, string[]]>([
    [
      'a large picture, which is made to fit',
      { type: 'image', sizeBytes: 50_000_000, width: 9000, height: 9000 },
      [],
    ],
    [
      'an alt text of 1001 characters',
      { type: 'image', altText: 'x'.repeat(1001) },
      ['maxAltText'],
    ],
    ['a GIF of 15 MB', { type: 'gif', sizeBytes: 15_000_001 }, ['maxFileBytes']],
    ['a wide GIF', { type: 'gif', width: 1281, height: 10 }, ['maxWidth']],
    ['a high GIF', { type: 'gif', width: 10, height: 1081 }, ['maxHeight']],
    ['a video of 140 seconds', { type: 'video', durationSeconds: 140 }, []],
    ['a video of 141 seconds', { type: 'video', durationSeconds: 141 }, ['maxSeconds']],
    ['a video of 0.4 seconds', { type: 'video', durationSeconds: 0.4 }, ['minSeconds']],
    ['a video of over 200 MB', { type: 'video', sizeBytes: 200_000_001 }, ['maxFileBytes']],
    ['a tiny video', { type: 'video', width: 30, height: 31 }, ['minWidth', 'minHeight']],
    ['a video like a ribbon', { type: 'video', width: 400, height: 100 }, ['aspectRatio']],
    ['a WEBM', { type: 'video', mimeType: 'video/webm' }, []],
    ['another type of video', { type: 'video', mimeType: 'video/x-matroska' }, ['mediaType']],
  ])('%s', (_, facts, expected) => {
    const channel = { rules: xRules.defaults, limits: {} }
    const findings = xRules.check(aDraft({ media: [aFile(facts)] }), channel)
    expect(findings.map(({ rule }) => rule)).toEqual(expected)
  })
})
