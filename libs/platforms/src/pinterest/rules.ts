import { PinterestOptions } from '@herald/contracts/options/pinterest'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import type { Draft, Finding, PlatformRules } from '../platform.ts'

const MAX_TITLE = 100
const MAX_ALT_TEXT = 500

/** The rules of Pinterest. The text is the description of the pin; several pictures are a carousel. */
export const pinterestRules: PlatformRules = {
  platform: 'PINTEREST',
  name: 'Pinterest',
  defaults: {
    requiresMedia: true,
    requiresVideo: false,
    maxImages: 5,
    maxChars: 800,
    requiredFields: ['pinterest.boardId'],
  },
  check: (draft, { rules }) => [
    ...checkDraft(draft, rules, PINTEREST),
    ...limitTitle(draft),
    ...equalSizes(draft),
  ],
  countText: countCharacters,
}

const PINTEREST: CheckedPlatform = {
  platform: 'PINTEREST',
  name: 'Pinterest',
  countText: countCharacters,
  images: ['image'],
  alone: ['gif', 'video'],
  files: {
    image: { maxAltText: MAX_ALT_TEXT },
    // An animated picture is fetched as it is.
    gif: { maxBytes: 20_000_000, maxAltText: MAX_ALT_TEXT },
    video: {
      mimeTypes: ['video/mp4', 'video/quicktime'],
      maxBytes: 2_000_000_000,
      minSeconds: 4,
      maxSeconds: 900,
      maxAltText: MAX_ALT_TEXT,
    },
  },
  countAltText: countCharacters,
}

/** Pinterest counts code points. */
function countCharacters(text: string): number {
  return Array.from(text).length
}

function limitTitle({ options }: Draft): Finding[] {
  const actual = countCharacters(PinterestOptions.safeParse(options).data?.title ?? '')
  if (actual <= MAX_TITLE) return []
  const message = `The title has ${actual} characters; Pinterest takes ${MAX_TITLE}.`
  return [{ rule: 'maxTitle', limit: MAX_TITLE, actual, path: 'pinterest.title', message }]
}

/** The pictures of a carousel must be as large as the first one; those of unknown size break no rule. */
function equalSizes({ media }: Draft): Finding[] {
  const [first, ...others] = media.flatMap(({ type, width, height }, index) =>
    type === 'image' && width !== null && height !== null ? [{ width, height, index }] : [],
  )
  return others
    .filter(({ width, height }) => width !== first?.width || height !== first.height)
    .map(({ width, height, index }) => ({
      rule: 'equalSizes',
      path: `mediaIds.${index}`,
      message: `The image is ${width} × ${height} pixels and the first one ${first?.width} × ${first?.height}; several images of a pin must be of one size.`,
    }))
}
