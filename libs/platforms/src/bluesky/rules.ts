import { checkCommon, checkNoMixing } from '../check.ts'
import type { Finding, PlatformRules } from '../platform.ts'
import { countBytes, countGraphemes } from '../text.ts'

const MAX_BYTES = 3000

/** What Bluesky takes: 300 graphemes and 3,000 UTF-8 bytes. Links count in full. */
export const BLUESKY_RULES: PlatformRules = {
  platform: 'BLUESKY',
  name: 'Bluesky',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 4,
    maxChars: 300,
    requiredFields: [],
  },
  check(draft, { rules }) {
    return [
      ...checkCommon(draft, rules, 'Bluesky', countGraphemes(draft.text)),
      ...checkBytes(draft.text, draft.textPath),
      ...checkNoMixing(draft, 'Bluesky'),
    ]
  },
}

function checkBytes(text: string, path: string): Finding[] {
  const actual = countBytes(text)
  if (actual <= MAX_BYTES) return []
  return [
    {
      rule: 'maxBytes',
      limit: MAX_BYTES,
      actual,
      path,
      message: `The text is ${actual} bytes long in UTF-8; Bluesky allows ${MAX_BYTES}.`,
    },
  ]
}
