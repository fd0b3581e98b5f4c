import { TiktokOptions } from '@herald/contracts/options/tiktok'
import { z } from 'zod'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import type { Draft, Finding, Limits, PlatformRules } from '../platform.ts'

const PHOTO_CHARS = 4000
const MAX_SECONDS = 600

/** What TikTok lets one creator do. It is told by `creator_info`. */
export const TiktokLimits = z.object({
  /** Those that the creator may choose. */
  privacyLevels: z.array(z.string()).optional(),
  maxVideoSeconds: z.number().positive().optional(),
})
export type TiktokLimits = z.infer<typeof TiktokLimits>

/**
 * The rules of TikTok: one video, whose title is the text, or photos, which may have a longer text and a title. TikTok
 * counts UTF-16 units.
 */
export const tiktokRules: PlatformRules = {
  platform: 'TIKTOK',
  name: 'TikTok',
  defaults: {
    requiresMedia: true,
    requiresVideo: false,
    maxImages: 35,
    maxChars: 2200,
    requiredFields: ['tiktok.privacyLevel'],
  },
  check: (draft, { rules, limits }) => {
    const known = TiktokLimits.safeParse(limits).data ?? {}
    const own = hasVideo(draft) ? rules : { ...rules, maxChars: PHOTO_CHARS }
    return [...checkDraft(draft, own, checkedBy(known)), ...checkOptions(draft, known)]
  },
  countText,
}

function countText(text: string): number {
  return text.length
}

function checkedBy({ maxVideoSeconds = MAX_SECONDS }: TiktokLimits): CheckedPlatform {
  return {
    platform: 'TIKTOK',
    name: 'TikTok',
    countText,
    images: ['image', 'gif'],
    alone: ['video'],
    files: {
      image: {},
      // Shown as its first frame.
      gif: {},
      video: {
        mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
        maxBytes: 200_000_000,
        maxSeconds: Math.min(maxVideoSeconds, MAX_SECONDS),
        minWidth: 360,
        minHeight: 360,
        maxWidth: 4096,
        maxHeight: 4096,
      },
    },
    countAltText: () => 0,
  }
}

function checkOptions(draft: Draft, { privacyLevels }: Limits & TiktokLimits): Finding[] {
  const options = TiktokOptions.safeParse(draft.options).data ?? {}
  const { privacyLevel, brandContent, title } = options
  const findings: Finding[] = []
  if (privacyLevel !== undefined && privacyLevels && !privacyLevels.includes(privacyLevel))
    findings.push({
      rule: 'privacyLevel',
      path: 'tiktok.privacyLevel',
      message: `This creator cannot choose ${privacyLevel}, only ${privacyLevels.join(', ')}.`,
    })
  if (brandContent === true && privacyLevel === 'SELF_ONLY')
    findings.push({
      rule: 'brandContent',
      path: 'tiktok.privacyLevel',
      message: 'A paid partnership cannot be posted to TikTok for the creator alone.',
    })
  if (title !== undefined && hasVideo(draft))
    findings.push({
      rule: 'photoTitle',
      path: 'tiktok.title',
      message: 'A title is for photos on TikTok; what is said of a video is the text.',
    })
  return findings
}

function hasVideo({ media }: Draft): boolean {
  return media.some(({ type }) => type === 'video')
}
