import twitterText from 'twitter-text'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import type { Draft, Finding, PlatformRules } from '../platform.ts'
import { countText } from './count-text.ts'

/** The rules of X. Accounts that pay for X may write longer texts; `identify` finds out. */
export const xRules: PlatformRules = {
  platform: 'X',
  name: 'X',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 4,
    maxChars: 280,
    requiredFields: [],
  },
  check: (draft, { rules }) => [
    ...checkDraft(draft, rules, CHECKED),
    ...limitCashtags(draft),
    ...refuseCharacters(draft),
  ],
  countText,
}

const MAX_ALT_TEXT = 1000

const CHECKED: CheckedPlatform = {
  platform: 'X',
  name: 'X',
  countText,
  images: ['image'],
  alone: ['gif', 'video'],
  files: {
    image: { maxAltText: MAX_ALT_TEXT },
    // Sent as it is: it would no longer move if it were made to fit.
    gif: { maxBytes: 15_000_000, maxWidth: 1280, maxHeight: 1080, maxAltText: MAX_ALT_TEXT },
    video: {
      mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
      maxBytes: 200_000_000,
      minSeconds: 0.5,
      maxSeconds: 140,
      minWidth: 32,
      minHeight: 32,
      minRatio: 1 / 3,
      maxRatio: 3,
    },
  },
  countAltText: (text) => Array.from(text).length,
}

/** X takes one `$SYMBOL` in a post that comes from an app. */
function limitCashtags({ text, textPath }: Draft): Finding[] {
  if (!text.includes('$')) return []
  const actual = twitterText.extractCashtags(text).length
  if (actual <= 1) return []
  const message = `The text has ${actual} cashtags; X takes 1.`
  return [{ rule: 'maxCashtags', limit: 1, actual, path: textPath, message }]
}

function refuseCharacters({ text, textPath }: Draft): Finding[] {
  if (!/[\uFFFE\uFEFF\uFFFF]/.test(text)) return []
  const message = 'X takes no text with the characters U+FEFF, U+FFFE or U+FFFF.'
  return [{ rule: 'characters', path: textPath, message }]
}
