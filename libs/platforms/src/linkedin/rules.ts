import { LinkedinOptions } from '@herald/contracts/options/linkedin'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import type { Draft, Finding, Limits, PlatformRules } from '../platform.ts'

/** The rules of LinkedIn. It does not say what a character is, so a text counts in UTF-16 units, which are the most. */
export const linkedinRules: PlatformRules = {
  platform: 'LINKEDIN',
  name: 'LinkedIn',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 20,
    maxChars: 3000,
    requiredFields: [],
  },
  check: (draft, { rules, limits }) => [
    ...checkDraft(draft, rules, CHECKED),
    ...checkVisibility(draft, limits),
  ],
  countText: (text) => text.length,
}

const MAX_ALT_TEXT = 4086

const OFFICE = 'application/vnd.openxmlformats-officedocument'

const CHECKED: CheckedPlatform = {
  platform: 'LINKEDIN',
  name: 'LinkedIn',
  countText: (text) => text.length,
  images: ['image'],
  alone: ['gif', 'video', 'document'],
  files: {
    image: { maxAltText: MAX_ALT_TEXT },
    // Sent as it is: it would no longer move if it were made to fit.
    gif: { maxBytes: 5_000_000, maxPixels: 36_152_319, maxAltText: MAX_ALT_TEXT },
    video: {
      mimeTypes: ['video/mp4'],
      maxBytes: 200_000_000,
      minSeconds: 3,
      maxSeconds: 1800,
      minRatio: 1 / 2.4,
      maxRatio: 2.4,
    },
    document: {
      mimeTypes: [
        'application/pdf',
        'application/msword',
        `${OFFICE}.wordprocessingml.document`,
        'application/vnd.ms-powerpoint',
        `${OFFICE}.presentationml.presentation`,
      ],
      maxBytes: 100_000_000,
    },
  },
  countAltText: (text) => text.length,
}

/** A page of an organization has no connections. */
function checkVisibility({ options }: Draft, { kind }: Limits): Finding[] {
  const visibility = LinkedinOptions.safeParse(options).data?.visibility
  if (kind !== 'organization' || visibility !== 'CONNECTIONS') return []
  const message = 'Posts of an organization are public: its visibility cannot be CONNECTIONS.'
  return [{ rule: 'visibility', path: 'linkedin.visibility', message }]
}
