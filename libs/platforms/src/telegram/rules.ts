import { TelegramOptions } from '@herald/contracts/options/telegram'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import { checkTotal } from '../check-total.ts'
import type { Draft, Finding, PlatformRules } from '../platform.ts'
import { kindOf } from './kinds.ts'
import { MAX_CAPTION_CHARS, MAX_CHARS, MAX_FILES, MAX_RATIO, TOTAL } from './limits.ts'
import { plainText } from './plain-text.ts'

/**
 * The rules of Telegram. Pictures and videos mix in an album, documents go with documents, an animated GIF goes alone.
 * Telegram has no alt texts.
 */
export const telegramRules: PlatformRules = {
  platform: 'TELEGRAM',
  name: 'Telegram',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: MAX_FILES,
    maxChars: MAX_CHARS,
    requiredFields: [],
  },
  check: (draft, { rules }) => {
    const maxChars =
      draft.media.length > 0 ? Math.min(rules.maxChars, MAX_CAPTION_CHARS) : rules.maxChars
    return [
      ...checkDraft(draft, { ...rules, maxChars }, TELEGRAM),
      ...checkMix(draft),
      ...checkTotal(draft, TOTAL),
    ]
  },
  countText,
}

const AS_IT_IS = { maxBytes: TOTAL.maxTotalBytes }

const TELEGRAM: CheckedPlatform = {
  platform: 'TELEGRAM',
  name: 'Telegram',
  countText,
  images: ['image', 'gif'],
  alone: ['gif'],
  maxFiles: MAX_FILES,
  files: {
    image: { minRatio: 1 / MAX_RATIO, maxRatio: MAX_RATIO },
    gif: AS_IT_IS,
    video: AS_IT_IS,
  },
  countAltText: () => 0,
}

/** UTF-16 units of what people see, without what formats it. Telegram does not keep white space at the ends. */
function countText(text: string, options: Record<string, unknown>): number {
  const parseMode = TelegramOptions.safeParse(options).data?.parseMode
  return plainText(text, parseMode).trim().length
}

function checkMix({ media }: Draft): Finding[] {
  const documents = media.filter((file) => kindOf(file) === 'document')
  if (documents.length === 0 || documents.length === media.length) return []
  const message =
    'A post to Telegram takes videos other than MP4 only together with others of them.'
  return [{ rule: 'mediaMix', path: 'mediaIds', message }]
}
