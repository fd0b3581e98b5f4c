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
/** No link on X is longer. */
const MAX_WORD = 4_096

/**
 * The weighted length of a text: after composing it (NFC) each link counts 23, each emoji 2, and so do characters of
 * scripts such as Chinese. Looking for links takes time that grows with the square of a word's length, so in what is too
 * long for X in any case links count in full.
 */
export function countText(text: string): number {
  const composed = text.normalize('NFC')
  const isUsual = composed.length <= MAX_TEXT && !hasLongWord(composed)
  return isUsual ? twitterText.parseTweet(composed, CONFIG).weightedLength : weigh(composed)
}

function hasLongWord(text: string): boolean {
  return text.length > MAX_WORD && text.split(/\s+/).some(({ length }) => length > MAX_WORD)
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
