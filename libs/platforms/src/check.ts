import type { ChannelRules } from '@herald/contracts/platforms'
import type { Draft, Finding } from './platform.ts'
import { isBlank } from './text.ts'

/** The rules that every platform has in common; `length` is the text's length as the platform counts. */
export function checkCommon(
  draft: Draft,
  rules: ChannelRules,
  platform: string,
  length: number,
): Finding[] {
  const images = draft.media.filter(({ type }) => type === 'image' || type === 'gif').length
  const videos = draft.media.filter(({ type }) => type === 'video').length
  const findings: (Finding | false)[] = [
    isBlank(draft.text) &&
      draft.media.length === 0 && {
        rule: 'notEmpty',
        path: draft.textPath,
        message: `A post to ${platform} needs text or media.`,
      },
    length > rules.maxChars && {
      rule: 'maxChars',
      limit: rules.maxChars,
      actual: length,
      path: draft.textPath,
      message: `The text is ${length} characters long as ${platform} counts; at most ${rules.maxChars} are allowed.`,
    },
    images > rules.maxImages && {
      rule: 'maxImages',
      limit: rules.maxImages,
      actual: images,
      path: 'mediaIds',
      message: `${platform} takes at most ${rules.maxImages} images in a post.`,
    },
    rules.requiresMedia &&
      images + videos === 0 && {
        rule: 'requiresMedia',
        path: 'mediaIds',
        message: `A post to ${platform} needs an image or a video.`,
      },
    rules.requiresVideo &&
      videos === 0 && {
        rule: 'requiresVideo',
        path: 'mediaIds',
        message: `A post to ${platform} needs a video.`,
      },
  ]
  return [...findings.filter((finding) => finding !== false), ...missingFields(draft, rules, platform)]
}

/** Images or one video, never both: the rule of most platforms. */
export function checkNoMixing({ media }: Draft, platform: string): Finding[] {
  const videos = media.filter(({ type }) => type === 'video' || type === 'audio').length
  if (videos === 0 || (videos === 1 && media.length === 1)) return []
  return [
    {
      rule: 'noMixing',
      path: 'mediaIds',
      message: `${platform} takes either images or one video in a post.`,
    },
  ]
}

function missingFields({ options }: Draft, rules: ChannelRules, platform: string): Finding[] {
  return rules.requiredFields
    .filter((path) => {
      const value = options[path.split('.')[1] ?? '']
      return value === undefined || value === null || value === ''
    })
    .map((path) => ({
      rule: 'requiredFields',
      path,
      message: `A post to ${platform} needs ${path}.`,
    }))
}
