import { TiktokOptions } from '@herald/contracts/options/tiktok'
import type { z } from 'zod'
import { readOptions } from '../options.ts'
import type { NotPublished, PublishFile, PublishInput } from '../platform.ts'

type Options = Omit<z.output<typeof TiktokOptions>, 'privacyLevel'> & { privacyLevel: string }

/** A post as TikTok knows them: a video or photos. */
export type Post = { outcome: 'read'; options: Options } & (
  | { kind: 'video'; file: PublishFile }
  | { kind: 'photos' }
)

/** What a post is, or why it can be none. */
export function readPost(input: PublishInput): Post | NotPublished {
  const read = readOptions(TiktokOptions, input)
  if (read.outcome !== 'read') return read
  const { privacyLevel } = read.options
  if (privacyLevel === undefined)
    return refuse('invalid_options', 'A post to TikTok needs a privacy level.')
  const post = { outcome: 'read' as const, options: { ...read.options, privacyLevel } }
  const [first, ...others] = input.media
  if (first?.type === 'video' && others.length === 0) return { ...post, kind: 'video', file: first }
  const arePictures = input.media.every(({ type }) => type === 'image' || type === 'gif')
  return first && arePictures
    ? { ...post, kind: 'photos' }
    : refuse('media_mix', 'A post to TikTok is one video, or pictures.')
}

/** What is said of a video. */
export function videoInfo(text: string, options: Options, said: Disabled): Record<string, unknown> {
  return {
    title: text,
    ...common(options, said),
    disable_duet: options.disableDuet === true || said.duet,
    disable_stitch: options.disableStitch === true || said.stitch,
    video_cover_timestamp_ms: options.coverOffsetMs,
    is_aigc: options.madeWithAi,
  }
}

/** What is said of photos. */
export function photoInfo(
  text: string,
  options: Options,
  said: Pick<Disabled, 'comment'>,
): Record<string, unknown> {
  return {
    title: options.title,
    description: text,
    ...common(options, said),
    auto_add_music: options.autoAddMusic,
  }
}

/** What the creator does not allow on any post. */
export type Disabled = { comment: boolean; duet: boolean; stitch: boolean }

function common(options: Options, { comment }: Pick<Disabled, 'comment'>): Record<string, unknown> {
  return {
    privacy_level: options.privacyLevel,
    disable_comment: options.disableComment === true || comment,
    brand_content_toggle: options.brandContent ?? false,
    brand_organic_toggle: options.brandOrganic ?? false,
  }
}

function refuse(errorCode: string, message: string): NotPublished {
  return { outcome: 'permanent', errorCode, message }
}
