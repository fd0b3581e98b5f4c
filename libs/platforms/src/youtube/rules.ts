import { YoutubeOptions } from '@herald/contracts/options/youtube'
import { z } from 'zod'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import { countBytes } from '../graphemes.ts'
import type { Draft, Finding, Limits, PlatformRules } from '../platform.ts'

/** In characters. Which characters YouTube counts is not documented, so these are UTF-16 units, which are most. */
const MAX_TITLE = 100
const MAX_TAGS = 500
const MAX_SECONDS = 12 * 3600
const ANGLE_BRACKETS = /[<>]/

/** What a channel may do beyond the rules: an account that is not verified has 15 minutes for a video. */
export const YoutubeLimits = z.object({ maxVideoSeconds: z.int().positive().optional() })

/** The rules of YouTube: one video, a title and who sees it; the text is the description. */
export const youtubeRules: PlatformRules = {
  platform: 'YOUTUBE',
  name: 'YouTube',
  defaults: {
    requiresMedia: true,
    requiresVideo: true,
    maxImages: 0,
    maxChars: 5000,
    requiredFields: ['youtube.title', 'youtube.privacyStatus'],
  },
  check: (draft, { rules, limits }) => [
    ...checkDraft(draft, rules, checkedBy(limits)),
    ...checkTexts(draft),
  ],
  countText: countBytes,
}

function checkedBy(limits: Limits): CheckedPlatform {
  const { maxVideoSeconds = MAX_SECONDS } = YoutubeLimits.safeParse(limits).data ?? {}
  return {
    platform: 'YOUTUBE',
    name: 'YouTube',
    countText: countBytes,
    images: ['image', 'gif'],
    alone: ['video'],
    files: {
      video: {
        mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
        maxBytes: 200_000_000,
        maxSeconds: maxVideoSeconds,
      },
    },
    countAltText: () => 0,
  }
}

function checkTexts({ text, textPath, options }: Draft): Finding[] {
  const { title = '', tags = [] } = YoutubeOptions.safeParse(options).data ?? {}
  return [
    tooLong('maxTitle', 'youtube.title', 'The title has', title.length, MAX_TITLE),
    tooLong('maxTags', 'youtube.tags', 'The tags together have', countTags(tags), MAX_TAGS),
    bracketed('youtube.title', 'title', title),
    bracketed(textPath, 'text', text),
    bracketed('youtube.tags', 'tags', tags.join('')),
  ].filter((finding) => finding !== undefined)
}

/** YouTube keeps tags as one text: a comma between two, and quotation marks around one with a space. */
function countTags(tags: readonly string[]): number {
  const lengths = tags.map((tag) => tag.length + (/\s/.test(tag) ? 2 : 0))
  return lengths.reduce((sum, length) => sum + length, Math.max(0, tags.length - 1))
}

function tooLong(
  rule: string,
  path: string,
  what: string,
  actual: number,
  limit: number,
): Finding | undefined {
  if (actual <= limit) return undefined
  return {
    rule,
    limit,
    actual,
    path,
    message: `${what} ${actual} characters; YouTube takes ${limit}.`,
  }
}

function bracketed(path: string, what: string, text: string): Finding | undefined {
  if (!ANGLE_BRACKETS.test(text)) return undefined
  const message = `YouTube takes no < and no > in the ${what}.`
  return { rule: 'forbiddenCharacters', path, message }
}
