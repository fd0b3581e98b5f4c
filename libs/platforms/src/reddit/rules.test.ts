import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import type { Draft } from '../platform.ts'
import { redditRules } from './rules.ts'

const OPTIONS = { subreddit: 'boats', title: 'A boat' }

function broken(draft: Partial<Draft>): string[] {
  const channel = { rules: redditRules.defaults, limits: {} }
  return redditRules
    .check(aDraft({ options: OPTIONS, ...draft }), channel)
    .map(({ rule, path }) => `${rule} ${path}`)
}

describe('the rules of Reddit', () => {
  test.each<[string, Partial<Draft>, string[]]>([
    ['a text with its subreddit and title keeps them', {}, []],
    ['a title alone is a post', { text: '' }, []],
    [
      'without options both fields are missing, and the text too',
      { text: ' ', options: {} },
      ['requiresContent content', 'requiredFields reddit.subreddit', 'requiredFields reddit.title'],
    ],
    [
      'a title of line breaks is missing',
      { options: { ...OPTIONS, title: '\r\n\n' } },
      ['requiredFields reddit.title'],
    ],
    [
      'a title of 300 code points keeps them',
      { options: { ...OPTIONS, title: '🚤'.repeat(300) } },
      [],
    ],
    [
      'a title of 301 is too long',
      { options: { ...OPTIONS, title: 'x'.repeat(301) } },
      ['maxTitle reddit.title'],
    ],
    ['a text of 40,000 code points keeps them', { text: '🚤'.repeat(40_000) }, []],
    ['a text of 40,001 is too long', { text: 'x'.repeat(40_001) }, ['maxChars content']],
    ['a link is a post', { options: { ...OPTIONS, link: 'https://example.com' } }, []],
    [
      'a link has no files',
      { options: { ...OPTIONS, link: 'https://example.com' }, media: files('image') },
      ['mediaMix reddit.link'],
    ],
    ['20 pictures are a gallery', { media: files(...Array<'image'>(20).fill('image')) }, []],
    [
      '21 are too many',
      { media: files(...Array<'image'>(21).fill('image')) },
      ['maxImages mediaIds'],
    ],
    ['animated GIFs are pictures', { media: files('gif', 'image') }, []],
    ['a video stands alone', { media: files('video', 'image') }, ['mediaMix mediaIds']],
    ['a document is not taken', { media: files('document') }, ['mediaType mediaIds.0']],
    [
      'a WEBM video is not taken',
      { media: [aFile({ type: 'video', mimeType: 'video/webm' })] },
      ['mediaType mediaIds.0'],
    ],
    [
      'a video of more than 15 minutes is too long',
      { media: [aFile({ type: 'video', durationSeconds: 901 })] },
      ['maxSeconds mediaIds.0'],
    ],
    [
      'an animated GIF of more than 20 MB is too large',
      { media: [aFile({ type: 'gif', sizeBytes: 20_000_001 })] },
      ['maxFileBytes mediaIds.0'],
    ],
    [
      'a picture of any size is made to fit',
      { media: [aFile({ type: 'image', sizeBytes: 50_000_000 })] },
      [],
    ],
  ])('%s', (_, draft, expected) => {
    expect(broken(draft)).toEqual(expected)
  })
})
