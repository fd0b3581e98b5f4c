import { type CheckedPlatform, checkDraft } from '../check.ts'
import type { Draft, Finding, PlatformRules } from '../platform.ts'
import {
  LEAST_IMAGE_BYTES,
  MAX_ALT_TEXT,
  MAX_CHARS,
  MAX_FILE_BYTES,
  MAX_FILES,
  MAX_TOTAL_BYTES,
} from './limits.ts'

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
  check: (draft, { rules }) => [...checkDraft(draft, rules, DISCORD), ...limitTotal(draft)],
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
    document: AS_IT_IS,
    audio: AS_IT_IS,
  },
  countAltText: (text) => text.length,
}

/** Files travel in one request. Pictures can be made smaller, the others leave them some of it. */
function limitTotal({ media }: Draft): Finding[] {
  const others = media.filter(({ type }) => type !== 'image')
  const actual = others.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const limit = MAX_TOTAL_BYTES - (media.length - others.length) * LEAST_IMAGE_BYTES
  if (actual <= limit) return []
  const message = `The files have ${actual} bytes together; Discord takes ${limit} in one message.`
  return [{ rule: 'maxTotalBytes', limit, actual, path: 'mediaIds', message }]
}
