import { ThreadsOptions } from '@herald/contracts/options/threads'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import type { Draft, Finding, PlatformRules } from '../platform.ts'
import { countLinks, countText } from './count-text.ts'

/** The rules of Threads: a text of 500 characters, with up to 20 pictures and videos in any mixture. */
export const threadsRules: PlatformRules = {
  platform: 'THREADS',
  name: 'Threads',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 20,
    maxChars: 500,
    requiredFields: [],
  },
  check: (draft, { rules }) => [...checkDraft(draft, rules, THREADS), ...checkLinks(draft)],
  countText,
}

const MAX_ALT_TEXT = 1000
const MAX_LINKS = 5
/** A picture that is made to fit keeps its shape. */
const PICTURE = { minRatio: 0.1, maxRatio: 10, maxAltText: MAX_ALT_TEXT }

const THREADS: CheckedPlatform = {
  platform: 'THREADS',
  name: 'Threads',
  countText,
  images: ['image', 'gif'],
  alone: [],
  maxFiles: 20,
  files: {
    image: PICTURE,
    gif: PICTURE,
    video: {
      mimeTypes: ['video/mp4', 'video/quicktime'],
      maxBytes: 200_000_000,
      maxSeconds: 300,
      minRatio: 0.01,
      maxRatio: 10,
      maxAltText: MAX_ALT_TEXT,
    },
  },
  countAltText: (text) => Array.from(text).length,
}

function checkLinks({ text, textPath, options, media }: Draft): Finding[] {
  const link = ThreadsOptions.safeParse(options).data?.link
  const links = countLinks(text, link)
  return [
    link !== undefined && media.length > 0
      ? {
          rule: 'linkWithFiles',
          path: 'threads.link',
          message: 'Threads shows the preview of a page only on a post without files.',
        }
      : undefined,
    links > MAX_LINKS
      ? {
          rule: 'maxLinks',
          limit: MAX_LINKS,
          actual: links,
          path: textPath,
          message: `The post links to ${links} pages; Threads takes ${MAX_LINKS}.`,
        }
      : undefined,
  ].filter((finding) => finding !== undefined)
}
