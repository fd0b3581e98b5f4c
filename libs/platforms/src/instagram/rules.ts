import { InstagramOptions } from '@herald/contracts/options/instagram'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import type { Draft, Finding, PlatformRules } from '../platform.ts'

/** The rules of Instagram: a picture, a reel or up to ten of both with a caption, or a story without one. */
export const instagramRules: PlatformRules = {
  platform: 'INSTAGRAM',
  name: 'Instagram',
  defaults: {
    requiresMedia: true,
    requiresVideo: false,
    maxImages: 10,
    maxChars: 2200,
    requiredFields: [],
  },
  check: (draft, { rules }) =>
    isStory(draft)
      ? [...checkDraft(draft, rules, STORY), ...checkStory(draft)]
      : [...checkDraft(draft, rules, FEED), ...checkCaption(draft), ...checkCover(draft)],
  countText,
}

const MAX_HASHTAGS = 30
const MAX_MENTIONS = 20

const FEED: CheckedPlatform = {
  platform: 'INSTAGRAM',
  name: 'Instagram',
  countText,
  images: ['image', 'gif'],
  alone: [],
  maxFiles: 10,
  files: {
    image: { minRatio: 0.8, maxRatio: 1.91, maxAltText: 1000 },
    gif: { minRatio: 0.8, maxRatio: 1.91, maxAltText: 1000 },
    video: {
      mimeTypes: ['video/mp4', 'video/quicktime'],
      maxBytes: 200_000_000,
      minSeconds: 3,
      maxSeconds: 900,
      minRatio: 0.01,
      maxRatio: 10,
    },
  },
  countAltText: (text) => Array.from(text).length,
}

const STORY: CheckedPlatform = {
  ...FEED,
  name: 'Instagram stories',
  maxFiles: 1,
  files: {
    image: {},
    gif: {},
    video: { ...FEED.files.video, maxBytes: 100_000_000, maxSeconds: 60 },
  },
}

/** The unit is not documented; UTF-16 units are the most that any count comes to. */
function countText(text: string): number {
  return text.length
}

function isStory({ options }: Draft): boolean {
  return InstagramOptions.safeParse(options).data?.story === true
}

function checkStory({ text, textPath }: Draft): Finding[] {
  if (text.trim() === '') return []
  const message =
    'A story on Instagram has no text. Give this platform an empty text, or leave out `story`.'
  return [{ rule: 'storyText', path: textPath, message }]
}

function checkCaption({ text, textPath }: Draft): Finding[] {
  return [
    exceeded('maxHashtags', MAX_HASHTAGS, /#[\p{L}\p{N}_]/gu, 'hashtags'),
    exceeded('maxMentions', MAX_MENTIONS, /@[\w.]/gu, 'mentions'),
  ].filter((finding) => finding !== undefined)

  function exceeded(
    rule: string,
    limit: number,
    pattern: RegExp,
    what: string,
  ): Finding | undefined {
    const actual = text.match(pattern)?.length ?? 0
    if (actual <= limit) return undefined
    const message = `The text has ${actual} ${what}; Instagram takes ${limit}.`
    return { rule, limit, actual, path: textPath, message }
  }
}

/** The cover of a reel is one of its frames. */
function checkCover({ options, media }: Draft): Finding[] {
  const offsetMs = InstagramOptions.safeParse(options).data?.coverOffsetMs
  const seconds = media.find(({ type }) => type === 'video')?.durationSeconds
  if (offsetMs === undefined || !seconds || offsetMs < seconds * 1000) return []
  return [
    {
      rule: 'coverOffset',
      limit: Math.floor(seconds * 1000),
      actual: offsetMs,
      path: 'instagram.coverOffsetMs',
      message: `The video ends after ${seconds} seconds; its cover must be before that.`,
    },
  ]
}
