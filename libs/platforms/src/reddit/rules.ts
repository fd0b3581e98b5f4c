import { RedditOptions } from '@herald/contracts/options/reddit'
import { isBlank } from '../blank.ts'
import { type CheckedPlatform, checkDraft } from '../check.ts'
import type { Draft, Finding, PlatformRules } from '../platform.ts'

const MAX_TITLE = 300

/** The rules of Reddit. A subreddit may have stricter ones, which it tells nobody before a post. */
export const redditRules: PlatformRules = {
  platform: 'REDDIT',
  name: 'Reddit',
  defaults: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 20,
    maxChars: 40_000,
    requiredFields: ['reddit.subreddit', 'reddit.title'],
  },
  check: (draft, { rules }) => [
    ...checkDraft(draft, rules, REDDIT).filter(({ rule }) => !isTitleEnough(rule, draft)),
    ...limitTitle(draft),
    ...eitherFilesOrLink(draft),
  ],
  countText: countCharacters,
}

const REDDIT: CheckedPlatform = {
  platform: 'REDDIT',
  name: 'Reddit',
  countText: countCharacters,
  images: ['image', 'gif'],
  alone: ['video'],
  files: {
    image: {},
    // An animated picture is sent as it is.
    gif: { mimeTypes: ['image/gif'], maxBytes: 20_000_000 },
    video: {
      mimeTypes: ['video/mp4', 'video/quicktime'],
      maxBytes: 1_000_000_000,
      maxSeconds: 900,
    },
  },
  // Reddit shows no alt texts.
  countAltText: () => 0,
}

/** Reddit counts code points. */
function countCharacters(text: string): number {
  return Array.from(text).length
}

/** The title alone is a post. */
function isTitleEnough(rule: string, { options }: Draft): boolean {
  const { title } = options
  return rule === 'requiresContent' && typeof title === 'string' && !isBlank(title)
}

function limitTitle({ options }: Draft): Finding[] {
  const actual = countCharacters(RedditOptions.safeParse(options).data?.title ?? '')
  if (actual <= MAX_TITLE) return []
  const message = `The title has ${actual} characters; Reddit takes ${MAX_TITLE}.`
  return [{ rule: 'maxTitle', limit: MAX_TITLE, actual, path: 'reddit.title', message }]
}

function eitherFilesOrLink({ options, media }: Draft): Finding[] {
  if (media.length === 0 || options['link'] === undefined) return []
  const message = 'A post to Reddit has files or a link, not both.'
  return [{ rule: 'mediaMix', path: 'reddit.link', message }]
}
