import { checkCommon, checkNoMixing } from '../check.ts'
import type { PlatformRules } from '../platform.ts'
import { countGraphemes } from '../text.ts'

const URL_LENGTH = 23
const LINK = /https?:\/\/[^\s<>"]*[^\s<>"'.,:;!?)\]}]/giu
const REMOTE_MENTION = /(?<![\p{L}\p{N}_/])@([a-z0-9_]+(?:[a-z0-9_.-]*[a-z0-9_]+)?)@[\p{L}\p{N}.-]+[\p{L}\p{N}]/giu

/**
 * The length as Mastodon counts: graphemes of the content warning and the text, every http(s) link as 23, and
 * `@user@host` as `@user`.
 */
export function countMastodon(text: string, spoilerText = ''): number {
  const counted = text.replace(LINK, 'x'.repeat(URL_LENGTH)).replace(REMOTE_MENTION, '@$1')
  return countGraphemes(counted) + countGraphemes(spoilerText)
}

/** What Mastodon takes; an instance may state limits of its own. */
export const MASTODON_RULES: PlatformRules = {
  platform: 'MASTODON',
  name: 'Mastodon',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 4,
    maxChars: 500,
    requiredFields: [],
  },
  check(draft, { rules }) {
    const { spoilerText } = draft.options
    const length = countMastodon(draft.text, typeof spoilerText === 'string' ? spoilerText : '')
    return [
      ...checkCommon(draft, rules, 'Mastodon', length),
      ...checkNoMixing(draft, 'Mastodon'),
    ]
  },
}
