import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import type { Draft, Limits, MediaFacts } from '../platform.ts'
import { linkedinRules } from './rules.ts'

function broken(draft: Partial<Draft>, limits: Limits = {}): string[] {
  const channel = { rules: linkedinRules.defaults, limits }
  return linkedinRules.check(aDraft(draft), channel).map(({ rule, path }) => `${rule} ${path}`)
}

describe('a post to LinkedIn', () => {
  test.each<[string, Partial<Draft>]>([
    ['a text', { text: '('.repeat(3000) }],
    ['twenty images', { media: files(...Array<'image'>(20).fill('image')) }],
    ['a video without a text', { text: '', media: files('video') }],
    ['a document', { media: files('document') }],
    ['an animated GIF', { media: files('gif') }],
    ['connections alone to see it', { options: { visibility: 'CONNECTIONS' } }],
  ])('may have %s', (_, draft) => {
    expect(broken(draft, { kind: 'person' })).toEqual([])
  })

  test.each<[string, Partial<Draft>, string[]]>([
    ['nothing', { text: '' }, ['requiresContent content']],
    ['3001 characters', { text: 'x'.repeat(3001) }, ['maxChars content']],
    ['1501 emoji, which count twice', { text: '🎉'.repeat(1501) }, ['maxChars content']],
    ['21 images', { media: files(...Array<'image'>(21).fill('image')) }, ['maxImages mediaIds']],
    ['an image and a video', { media: files('image', 'video') }, ['mediaMix mediaIds']],
    ['two documents', { media: files('document', 'document') }, ['mediaMix mediaIds']],
    ['sound', { media: files('audio') }, ['mediaType mediaIds.0']],
  ])('may not have %s', (_, draft, expected) => {
    expect(broken(draft)).toEqual(expected)
  })

  test('of a page is public', () => {
    const options = { visibility: 'CONNECTIONS' }
    expect(broken({ options }, { kind: 'organization' })).toEqual([
      'visibility linkedin.visibility',
    ])
    expect(broken({ options: { visibility: 'PUBLIC' } }, { kind: 'organization' })).toEqual([])
  })
})

test.each<[string, Partial<MediaFacts> & Pick<MediaFacts, 'type'>, string[]]>([
  [
    'a large picture, which is made to fit',
    { type: 'image', sizeBytes: 50_000_000, width: 9000, height: 9000 },
    [],
  ],
  ['an alt text of 4087 characters', { type: 'image', altText: 'x'.repeat(4087) }, ['maxAltText']],
  ['a GIF of over 5 MB', { type: 'gif', sizeBytes: 5_000_001 }, ['maxFileBytes']],
  ['a GIF of too many pixels', { type: 'gif', width: 6100, height: 6000 }, ['maxPixels']],
  ['a video of half an hour', { type: 'video', durationSeconds: 1800 }, []],
  ['a video of 2 seconds', { type: 'video', durationSeconds: 2 }, ['minSeconds']],
  ['a video of more than half an hour', { type: 'video', durationSeconds: 1801 }, ['maxSeconds']],
  ['a video of over 200 MB', { type: 'video', sizeBytes: 200_000_001 }, ['maxFileBytes']],
  ['a video like a ribbon', { type: 'video', width: 500, height: 200 }, ['aspectRatio']],
  ['a MOV', { type: 'video', mimeType: 'video/quicktime' }, ['mediaType']],
  ['a DOC', { type: 'document', mimeType: 'application/msword' }, []],
  ['a spreadsheet', { type: 'document', mimeType: 'application/vnd.ms-excel' }, ['mediaType']],
  ['a document of over 100 MB', { type: 'document', sizeBytes: 100_000_001 }, ['maxFileBytes']],
])('%s as a file for LinkedIn', (_, facts, expected) => {
  const channel = { rules: linkedinRules.defaults, limits: {} }
  const findings = linkedinRules.check(aDraft({ media: [aFile(facts)] }), channel)
  expect(findings.map(({ rule }) => rule)).toEqual(expected)
})
