import { type CheckedPlatform, checkDraft } from '../check.ts'
import { checkTotal } from '../check-total.ts'
import type { PlatformRules } from '../platform.ts'
import { MAX_ALT_TEXT, MAX_CHARS, MAX_FILE_BYTES, MAX_FILES, TOTAL } from './limits.ts'

/** The rules of Discord: any files together, ten at most. It does not say what it counts; UTF-16 units are the safe bound. */
export const discordRules: PlatformRules = {
  platform: 'DISCORD',
  name: 'Discord',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: MAX_FILES,
    maxChars: MAX_CHARS,
    requiredFields: [],
  },
  check: (draft, { rules }) => [...checkDraft(draft, rules, DISCORD), ...checkTotal(draft, TOTAL)],
  countText: (text) => text.length,
}

/** Of a file that is sent as it is. */
const AS_IT_IS = { maxBytes: MAX_FILE_BYTES, maxAltText: MAX_ALT_TEXT }

const DISCORD: CheckedPlatform = {
  platform: 'DISCORD',
  name: 'Discord',
  countText: (text) => text.length,
  images: ['image', 'gif'],
  alone: [],
  maxFiles: MAX_FILES,
  files: {
    image: { maxAltText: MAX_ALT_TEXT },
    gif: AS_IT_IS,
    video: AS_IT_IS,
    audio: AS_IT_IS,
  },
  countAltText: (text) => text.length,
}
