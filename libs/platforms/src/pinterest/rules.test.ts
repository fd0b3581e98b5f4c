import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import type { Draft, MediaFacts } from '../platform.ts'
import { pinterestRules } from './rules.ts'

const OPTIONS = { boardId: '1' }

function broken(draft: Partial<Draft>): string[] {
  const channel = { rules: pinterestRules.defaults, limits: {} }
  return pinterestRules
    .check(aDraft({ options: OPTIONS, media: files('image'), ...draft }), channel)
    .map(({ rule, path }) => `${rule} ${path}`)
}

function sized(...sizes: [number | null, number | null][]): MediaFacts[] {
  return sizes.map(([width, height]) => aFile({ type: 'image', width, height }))
}

function aVideo(facts: Partial<MediaFacts>): Partial<Draft> {
  return { media: [aFile({ type: 'video', durationSeconds: 10, ...facts })] }
}

describe('the rules of Pinterest', () => {
  test.each<[string, Partial<Draft>, string[]]>([
    ['a picture on a board keeps them', {}, []],
    ['a picture needs no text', { text: '' }, []],
    ['a text alone is no pin', { media: [] }, ['requiresMedia mediaIds']],
    ['a pin is on a board', { options: {} }, ['requiredFields pinterest.boardId']],
    ['a text of 800 code points keeps them', { text: '🚤'.repeat(800) }, []],
    ['a text of 801 is too long', { text: 'x'.repeat(801) }, ['maxChars content']],
    [
      'a title of 100 code points keeps them',
      { options: { ...OPTIONS, title: '🚤'.repeat(100) } },
      [],
    ],
    [
      'a title of 101 is too long',
      { options: { ...OPTIONS, title: 'x'.repeat(101) } },
      ['maxTitle pinterest.title'],
    ],
    [
      'an alt text of 501 is too long',
      { media: [aFile({ type: 'image', altText: 'x'.repeat(501) })] },
      ['maxAltText mediaIds.0'],
    ],
    ['five pictures are a carousel', { media: files(...Array<'image'>(5).fill('image')) }, []],
    [
      'six are too many',
      { media: files(...Array<'image'>(6).fill('image')) },
      ['maxImages mediaIds'],
    ],
    ['pictures of one size are a carousel', { media: sized([4, 3], [4, 3]) }, []],
    ['pictures of unknown size may be one', { media: sized([4, 3], [null, null]) }, []],
    [
      'those that are not as large as the first are named',
      { media: sized([4, 3], [4, 3], [3, 4], [8, 6]) },
      ['equalSizes mediaIds.2', 'equalSizes mediaIds.3'],
    ],
    ['a video stands alone', { media: files('video', 'image') }, ['mediaMix mediaIds']],
    ['an animated GIF stands alone', { media: files('gif', 'image') }, ['mediaMix mediaIds']],
    [
      'a document is not taken',
      { media: files('document') },
      ['requiresMedia mediaIds', 'mediaType mediaIds.0'],
    ],
    ['a video of ten seconds keeps them', aVideo({}), []],
    ['a video of three is too short', aVideo({ durationSeconds: 3 }), ['minSeconds mediaIds.0']],
    ['a video of 901 is too long', aVideo({ durationSeconds: 901 }), ['maxSeconds mediaIds.0']],
    ['a WEBM video is not taken', aVideo({ mimeType: 'video/webm' }), ['mediaType mediaIds.0']],
  ])('%s', (_, draft, expected) => {
    expect(broken(draft)).toEqual(expected)
  })
})
