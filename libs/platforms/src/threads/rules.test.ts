import { describe, expect, test } from 'vitest'
import { aDraft, aFile, files } from '../../test/drafts.ts'
import { countLinks, countText } from './count-text.ts'
import { threadsRules } from './rules.ts'

const check = (draft: Parameters<typeof aDraft>[0]) =>
  threadsRules.check(aDraft(draft), { rules: threadsRules.defaults, limits: {} })
const rules = (draft: Parameters<typeof aDraft>[0]) => check(draft).map(({ rule }) => rule)

describe('Threads counts', () => {
  test.each([
    ['a letter as one', 'x', 1],
    ['a letter with an accent as its code points', 'e\u0301', 2],
    ['a Chinese character as one', '你', 1],
    ['a letter beyond the first plane as one', '𝒜', 1],
    ['an emoji as its bytes in UTF-8', '🎉', 4],
    ['a family as all of its bytes', '👨‍👩‍👧‍👦', 25],
    ['a flag as its bytes', '🇩🇪', 8],
    ['a keycap as its bytes', '1️⃣', 7],
    ['a digit as one', '1', 1],
    ['text around emojis', 'a🎉b', 6],
  ])('%s', (_, text, expected) => {
    expect(countText(text)).toBe(expected)
  })

  test.each([
    ['no link', 'nothing.here', undefined, 0],
    ['each page once', 'https://a.example/1 www.b.example https://a.example/1.', undefined, 2],
    ['the attached page', 'https://a.example', 'https://b.example', 2],
    ['an attached page that the text has once', 'https://a.example', 'https://a.example', 1],
  ])('%s', (_, text, attached, expected) => {
    expect(countLinks(text, attached)).toBe(expected)
  })
})

const sixLinks = [1, 2, 3, 4, 5, 6].map((number) => `https://a.example/${number}`).join(' ')

describe('Threads takes', () => {
  test.each<[string, Parameters<typeof aDraft>[0], string[]]>([
    ['500 letters', { text: 'x'.repeat(500) }, []],
    ['no 501st letter', { text: 'x'.repeat(501) }, ['maxChars']],
    ['125 emojis', { text: '🎉'.repeat(125) }, []],
    ['no 126th emoji', { text: '🎉'.repeat(126) }, ['maxChars']],
    ['five links', { text: sixLinks.slice(0, -20) }, []],
    ['no six links', { text: sixLinks }, ['maxLinks']],
    ['no blank text', { text: ' ' }, ['requiresContent']],
    ['files without a text', { text: '', media: files('image') }, []],
    [
      '20 files of all kinds',
      { media: files(...Array(10).fill('image'), ...Array(10).fill('video')) },
      [],
    ],
    ['no 21 videos', { media: files(...Array(21).fill('video')) }, ['maxFiles']],
    ['no 21 pictures', { media: files(...Array(21).fill('gif')) }, ['maxFiles', 'maxImages']],
    ['no document', { media: files('document') }, ['mediaType']],
    ['a link without files', { options: { link: 'https://a.example' } }, []],
    [
      'no link beside files',
      { options: { link: 'https://a.example' }, media: files('image') },
      ['linkWithFiles'],
    ],
  ])('%s', (_, draft, expected) => {
    expect(rules(draft)).toEqual(expected)
  })

  test.each<[string, Parameters<typeof aFile>[0], string[]]>([
    [
      'a picture of any size',
      { type: 'image', sizeBytes: 50_000_000, width: 9000, height: 900 },
      [],
    ],
    ['no picture that is longer', { type: 'image', width: 9001, height: 900 }, ['aspectRatio']],
    ['a video of five minutes', { type: 'video', durationSeconds: 300 }, []],
    ['no longer one', { type: 'video', durationSeconds: 301 }, ['maxSeconds']],
    ['a MOV', { type: 'video', mimeType: 'video/quicktime' }, []],
    ['no WEBM', { type: 'video', mimeType: 'video/webm' }, ['mediaType']],
    ['an alt text of 1,000 characters', { type: 'image', altText: '𝒜'.repeat(1000) }, []],
    ['no longer one', { type: 'video', altText: 'x'.repeat(1001) }, ['maxAltText']],
  ])('%s', (_, file, expected) => {
    expect(rules({ media: [aFile(file)] })).toEqual(expected)
  })
})
