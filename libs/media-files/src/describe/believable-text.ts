import type { ReadWord } from './text-in-picture.ts'

/** Words in a picture are read with 85 and more; what is read into texture seldom reaches 70. */
const MIN_CONFIDENCE = 75
/** Where less than this part of the letters is believable, the picture is full of texture, and the rest is chance. */
const MIN_SHARE = 0.3

/** Of the words that were read from a picture, the text that really stands there; null when none is believable. */
export function believableText(words: readonly ReadWord[]): string | null {
  const believable = words.filter(isBelievable)
  const isChance = lettersOf(believable) < MIN_SHARE * lettersOf(words)
  // A single letter may be anything; a text has a word of two at least.
  const hasWord = believable.some(({ text }) => /[\p{L}\p{N}]{2}/u.test(text))
  return isChance || !hasWord ? null : believable.map(({ text }) => text).join(' ')
}

function isBelievable({ text, confidence }: ReadWord): boolean {
  return confidence >= MIN_CONFIDENCE && /[\p{L}\p{N}]/u.test(text)
}

function lettersOf(words: readonly ReadWord[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0)
}
