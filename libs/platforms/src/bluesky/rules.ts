import { type CheckedPlatform, checkDraft } from '../check.ts'
import { countBytes, countGraphemes } from '../graphemes.ts'
import type { Draft, Finding, PlatformRules } from '../platform.ts'

/** Most bytes of a text in UTF-8. Graphemes of many code points reach it before the 300 graphemes. */
const MAX_BYTES = 3000

/**
 * The rules of Bluesky. Links count in full; animated GIFs are shown as still images. The network sets no limit for the
 * alt text of a picture; this one is its app's.
 */
export const blueskyRules: PlatformRules = {
  platform: 'BLUESKY',
  name: 'Bluesky',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 4,
    maxChars: 300,
    requiredFields: [],
  },
  check: (draft, { rules }) => [...checkDraft(draft, rules, BLUESKY), ...limitBytes(draft)],
  countText: (text) => countGraphemes(text),
}

const BLUESKY: CheckedPlatform = {
  platform: 'BLUESKY',
  name: 'Bluesky',
  countText: (text) => countGraphemes(text),
  images: ['image', 'gif'],
  alone: ['video'],
  files: {
    image: { maxAltText: 2000 },
    gif: { maxAltText: 2000 },
    video: {
      mimeTypes: ['video/mp4'],
      maxBytes: 50_000_000,
      maxSeconds: 180,
      maxAltText: 1000,
    },
  },
  // That of a video may have 10,000 bytes beside its 1,000 characters.
  countAltText: (text) => Math.max(countGraphemes(text), Math.ceil(countBytes(text) / 10)),
}

function limitBytes({ text, textPath }: Draft): Finding[] {
  const actual = countBytes(text)
  if (actual <= MAX_BYTES) return []
  const message = `The text has ${actual} bytes in UTF-8; Bluesky takes ${MAX_BYTES}.`
  return [{ rule: 'maxBytes', limit: MAX_BYTES, actual, path: textPath, message }]
}
