import twitterText from 'twitter-text'

/** Version 3 of the configuration that X publishes. Weights are in hundredths. */
const CONFIG = {
  version: 3,
  maxWeightedTweetLength: 280,
  scale: 100,
  defaultWeight: 200,
  emojiParsingEnabled: true,
  transformedURLLength: 23,
  ranges: [
    { start: 0, end: 4351, weight: 100 },
    { start: 8192, end: 8205, weight: 100 },
    { start: 8208, end: 8223, weight: 100 },
    { start: 8242, end: 8247, weight: 100 },
  ],
}

/** No post on X is longer, whoever pays for it. */
const MAX_TEXT = 25_000
/** No link on X is longer. So many letters at most may stand in long words. */
const MAX_LINK = 4_096
const LONG_WORD = 1_024

/**
 * The weighted length of a text: after composing it (NFC) each link counts 23, each emoji 2, and so do characters of
 * scripts such as Chinese. Looking for links takes time that grows with the square of a word's length, so in what is too
 * long for X in any case links count in full.
 */
export function countText(text: string): number {
  const composed = text.normalize('NFC')
  const isUsual = composed.length <= MAX_TEXT && lettersInLongWords(composed) <= MAX_LINK
  return isUsual ? twitterText.parseTweet(composed, CONFIG).weightedLength : weigh(composed)
}

function lettersInLongWords(text: string): number {
  if (text.length <= MAX_LINK) return 0
  const words = text.split(/\s+/).filter(({ length }) => length > LONG_WORD)
  return words.reduce((sum, { length }) => sum + length, 0)
}

function weigh(text: string): number {
  const { ranges, defaultWeight, scale } = CONFIG
  let weight = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    weight += ranges.find(({ start, end }) => code >= start && code <= end)?.weight ?? defaultWeight
  }
  return weight / scale
}
