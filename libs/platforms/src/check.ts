import type { ChannelRules, Platform } from '@herald/contracts/platforms'
import { isBlank } from './blank.ts'
import { checkFiles, type FileRules } from './check-files.ts'
import type { Draft, Finding, MediaFacts, MediaType } from './platform.ts'

/** What the rules that all platforms share need to know of one of them. */
export type CheckedPlatform = FileRules & {
  platform: Platform
  countText: (text: string, options: Record<string, unknown>) => number
  /** Files that count as images. */
  images: readonly MediaType[]
  /** Files that must be the post's only one. */
  alone: readonly MediaType[]
  /** Most files of all kinds together, where that is not what `maxImages` and `alone` say already. */
  maxFiles?: number
}

/** The rules that all platforms share; each finding names its rule, and they come in a fixed order. */
export function checkDraft(
  draft: Draft,
  rules: ChannelRules,
  platform: CheckedPlatform,
): Finding[] {
  return [
    requireContent(draft, platform),
    limitText(draft, rules, platform),
    ...requireFields(draft, rules, platform),
    ...checkMedia(draft.media, rules, platform),
    ...checkFiles(draft.media, platform),
  ].filter((finding) => finding !== undefined)
}

function requireContent(draft: Draft, { name }: CheckedPlatform): Finding | undefined {
  if (!isBlank(draft.text) || draft.media.length > 0) return undefined
  return {
    rule: 'requiresContent',
    path: draft.textPath,
    message: `A post to ${name} needs text or a file.`,
  }
}

function limitText(
  { text, textPath, options }: Draft,
  { maxChars }: ChannelRules,
  { name, countText }: CheckedPlatform,
): Finding | undefined {
  const actual = countText(text, options)
  if (actual <= maxChars) return undefined
  const message = `The text has ${actual} characters as ${name} counts them; this channel takes ${maxChars}.`
  return { rule: 'maxChars', limit: maxChars, actual, path: textPath, message }
}

/** A field is missing when nothing stands at its dotted path, or a blank text. */
function requireFields(
  draft: Draft,
  { requiredFields }: ChannelRules,
  { platform, name }: CheckedPlatform,
): Finding[] {
  const body = { content: draft.text, [platform.toLowerCase()]: draft.options }
  return requiredFields
    .filter((path) => isMissing(valueAt(body, path.split('.'))))
    .map((path) => ({
      rule: 'requiredFields',
      path,
      message: `A post to this ${name} channel needs ${path}.`,
    }))
}

function valueAt(value: unknown, [name, ...rest]: string[]): unknown {
  if (name === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return valueAt(new Map(Object.entries(value)).get(name), rest)
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && isBlank(value))
}

function checkMedia(
  media: readonly MediaFacts[],
  rules: ChannelRules,
  { name, images, alone, maxFiles = Infinity }: CheckedPlatform,
): (Finding | undefined)[] {
  const imageCount = media.filter(({ type }) => images.includes(type)).length
  const single = media.find(({ type }) => alone.includes(type))
  const hasVideo = media.some(({ type }) => type === 'video')
  const isBare = !media.some(({ type }) => type === 'image' || type === 'gif' || type === 'video')
  return [
    broken(rules.requiresMedia && isBare, 'requiresMedia', 'needs an image or a video'),
    broken(rules.requiresVideo && !hasVideo, 'requiresVideo', 'needs a video'),
    broken(
      single !== undefined && media.length > 1,
      'mediaMix',
      `takes a ${single?.type} only as its single file`,
    ),
    media.length > maxFiles
      ? {
          rule: 'maxFiles',
          limit: maxFiles,
          actual: media.length,
          path: 'mediaIds',
          message: `The post has ${media.length} files; ${name} takes ${maxFiles}.`,
        }
      : undefined,
    imageCount > rules.maxImages
      ? {
          rule: 'maxImages',
          limit: rules.maxImages,
          actual: imageCount,
          path: 'mediaIds',
          message: `The post has ${imageCount} images; this channel takes ${rules.maxImages}.`,
        }
      : undefined,
  ]

  function broken(isBroken: boolean, rule: string, text: string): Finding | undefined {
    return isBroken ? { rule, path: 'mediaIds', message: `A post to ${name} ${text}.` } : undefined
  }
}
