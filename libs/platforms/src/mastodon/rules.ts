import { MastodonOptions } from '@herald/contracts/posts'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import { countGraphemes } from '../graphemes.ts'
import type { PlatformRules } from '../platform.ts'
import { shortenForCount } from './shorten-for-count.ts'

/** The rules of Mastodon: an instance's own limits replace the 500 characters and 4 images. */
export const mastodonRules: PlatformRules = {
  platform: 'MASTODON',
  name: 'Mastodon',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 4,
    maxChars: 500,
    requiredFields: [],
  },
  check: (draft, { rules }) => checkDraft(draft, rules, MASTODON),
  countText,
}

const MASTODON: CheckedPlatform = {
  platform: 'MASTODON',
  name: 'Mastodon',
  countText,
  images: ['image'],
  alone: ['gif', 'video', 'audio'],
}

/** Graphemes of the content warning as it stands and of the text, where links and mentions count for less. */
function countText(text: string, options: Record<string, unknown>): number {
  const warning = MastodonOptions.safeParse(options).data?.spoilerText ?? ''
  return countGraphemes(warning + shortenForCount(text))
}
