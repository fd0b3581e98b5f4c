import { z } from 'zod'

/** The social platforms a channel can belong to (specification, "Channel"). */
export const Platform = z
  .enum([
    'INSTAGRAM',
    'FACEBOOK',
    'THREADS',
    'LINKEDIN',
    'X',
    'TIKTOK',
    'REDDIT',
    'BLUESKY',
    'MASTODON',
    'YOUTUBE',
    'PINTEREST',
    'TELEGRAM',
    'DISCORD',
  ])
  .meta({ id: 'Platform', description: 'A social platform.' })
export type Platform = z.infer<typeof Platform>

/** What a post to a channel must keep to (specification, "Channel rules"). */
export const ChannelRules = z.strictObject({
  requiresMedia: z.boolean().meta({ description: 'The channel needs an image or video.' }),
  requiresVideo: z.boolean().meta({ description: 'The channel needs a video.' }),
  maxImages: z.int().nonnegative().meta({ description: 'Maximum images per post.' }),
  maxChars: z.int().positive().meta({
    description: "Maximum text length, counted the platform's own way.",
  }),
  requiredFields: z.array(z.string()).meta({
    description:
      'Dotted paths into the body of POST /posts that a post to this channel must carry.',
  }),
})
export type ChannelRules = z.infer<typeof ChannelRules>

/** One platform rule that a post does not meet; all of them are reported at once. */
export const Violation = z.strictObject({
  channelId: z.string(),
  platform: Platform,
  rule: z.string().meta({ description: 'The rule, such as `maxChars`.' }),
  limit: z.number().optional(),
  actual: z.number().optional(),
  path: z.string().meta({ description: 'Where in the body, such as `platformContent.MASTODON`.' }),
  message: z.string().meta({ description: 'A sentence for a person.' }),
})
export type Violation = z.infer<typeof Violation>
