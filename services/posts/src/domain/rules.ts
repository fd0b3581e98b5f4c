import type { ChannelForPosting } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import type { AttachedMedia } from '@herald/contracts/media'
import type { Platform, Violation } from '@herald/contracts/platforms'
import type { PostOptions } from '@herald/contracts/post-options'
import type { PlatformContent } from '@herald/contracts/posts'
import { rulesOf } from '@herald/platforms/rules-registry'

/** What the rules look at: the texts, options and files of a post. */
export type Draft = {
  content: string
  platformContent: PlatformContent
  options: PostOptions
  media: readonly AttachedMedia[]
}

/** What must be known of a channel to check a post against it. */
export type ChannelFacts = Pick<ChannelForPosting, 'id' | 'platform' | 'rules' | 'limits'>

/** Refuses a post that breaks a rule of any of its channels, with all violations at once. */
export function requireRules(draft: Draft, channels: readonly ChannelFacts[]): void {
  const violations = violationsOf(draft, channels)
  const [first] = violations
  if (!first) return
  throw new AppError('validation_failed', first.message, { details: { violations } })
}

/** Every rule that the post breaks, channel by channel. */
export function violationsOf(draft: Draft, channels: readonly ChannelFacts[]): Violation[] {
  return channels.flatMap((channel) => {
    const { platform } = channel
    const own = draft.platformContent[platform]
    const found = rulesOf(platform)?.check(
      {
        text: own ?? draft.content,
        textPath: own === undefined ? 'content' : `platformContent.${platform}`,
        options: optionsFor(draft.options, platform),
        media: draft.media,
      },
      channel,
    )
    return (found ?? []).map((finding) => ({ channelId: channel.id, platform, ...finding }))
  })
}

/** The options of one platform. */
export function optionsFor(options: PostOptions, platform: Platform): Record<string, unknown> {
  const byName: Record<string, Record<string, unknown> | undefined> = options
  return byName[platform.toLowerCase()] ?? {}
}

/** Refuses texts and options for a platform that none of the channels is on; they would be dropped silently. */
export function requireKnownPlatforms(
  draft: Omit<Draft, 'media'>,
  channels: readonly { platform: Platform }[],
): void {
  const platforms = new Set<string>(channels.map(({ platform }) => platform))
  const issues = [
    ...Object.keys(draft.platformContent)
      .filter((platform) => !platforms.has(platform))
      .map((platform) => `platformContent.${platform}`),
    ...Object.entries(draft.options)
      .filter(([name, options]) => options !== undefined && !platforms.has(name.toUpperCase()))
      .map(([name]) => name),
  ].map((path) => ({ path, message: 'is for a platform that none of the channels is on' }))
  if (issues.length > 0)
    throw new AppError(
      'validation_failed',
      'The post has text or options for a platform that none of its channels is on.',
      { details: { issues } },
    )
}
