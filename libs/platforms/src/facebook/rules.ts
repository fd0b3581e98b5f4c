import { FacebookOptions } from '@herald/contracts/options/facebook'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import type { Draft, Finding, PlatformRules } from '../platform.ts'

/** The rules of a Facebook Page: a text, up to ten pictures, or one video or reel. */
export const facebookRules: PlatformRules = {
  platform: 'FACEBOOK',
  name: 'Facebook',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 10,
    maxChars: 63_206,
    requiredFields: [],
  },
  check: (draft, { rules }) => {
    const isReel = optionsOf(draft).reel === true
    return [...checkDraft(draft, rules, isReel ? REEL : POST), ...checkOptions(draft)]
  },
  countText,
}

const POST: CheckedPlatform = {
  platform: 'FACEBOOK',
  name: 'Facebook',
  countText,
  images: ['image', 'gif'],
  alone: ['video'],
  files: {
    image: { maxAltText: 1000 },
    gif: { maxAltText: 1000 },
    video: { mimeTypes: ['video/mp4', 'video/quicktime'], maxBytes: 200_000_000 },
  },
  countAltText: (text) => text.length,
}

/** A reel is upright, 9 to 16; a pixel more or less does no harm. */
const REEL: CheckedPlatform = {
  ...POST,
  name: 'Facebook reels',
  files: {
    video: {
      ...POST.files.video,
      minSeconds: 3,
      maxSeconds: 90,
      minWidth: 540,
      minHeight: 960,
      minRatio: 0.55,
      maxRatio: 0.575,
    },
  },
}

/** The unit is not documented; UTF-16 units are the most that any count comes to. */
function countText(text: string): number {
  return text.length
}

function optionsOf({ options }: Draft) {
  return FacebookOptions.safeParse(options).data ?? {}
}

function checkOptions(draft: Draft): Finding[] {
  const { link, reel, title } = optionsOf(draft)
  const hasVideo = draft.media.some(({ type }) => type === 'video')
  return [
    link !== undefined && draft.media.length > 0
      ? {
          rule: 'linkWithFiles',
          path: 'facebook.link',
          message: 'Facebook shows the preview of a page only on a post without files.',
        }
      : undefined,
    reel === true && !hasVideo
      ? { rule: 'reelVideo', path: 'facebook.reel', message: 'A reel on Facebook needs a video.' }
      : undefined,
    title !== undefined && !hasVideo
      ? { rule: 'titleVideo', path: 'facebook.title', message: 'Only a video has a title.' }
      : undefined,
  ].filter((finding) => finding !== undefined)
}
