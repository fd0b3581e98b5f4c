import { MastodonOptions } from '@herald/contracts/options/mastodon'
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

/** Mastodon counts the characters of an alt text as Ruby does: code points. */
const MAX_ALT_TEXT = 1500

const MASTODON: CheckedPlatform = {
  platform: 'MASTODON',
  name: 'Mastodon',
  countText,
  images: ['image'],
  alone: ['gif', 'video'],
  files: {
    image: { maxAltText: MAX_ALT_TEXT },
    // An animated picture is not made smaller, and may have fewer pixels than one that stands still.
    gif: { maxBytes: 16_777_215, maxPixels: 921_600, maxAltText: MAX_ALT_TEXT },
    video: {
      mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
      // 99 MiB without a little: the web server in front of an instance measures the whole request.
      maxBytes: 103_000_000,
      maxPixels: 8_294_400,
      maxAltText: MAX_ALT_TEXT,
    },
  },
  countAltText: (text) => Array.from(text).length,
}

/** Graphemes of the content warning as it stands and of the text, where links and mentions count for less. */
function countText(text: string, options: Record<string, unknown>): number {
  const warning = MastodonOptions.safeParse(options).data?.spoilerText ?? ''
  return countGraphemes(warning + shortenForCount(text))
}
