import { z } from 'zod'
import { Text } from '../text.ts'

/** What only TikTok takes. */
export const TiktokOptions = z.strictObject({
  privacyLevel: z
    .enum(['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'])
    .optional()
    .meta({ description: 'Who sees it. Required, and one of those that the creator may choose.' }),
  title: Text.max(90).optional().meta({ description: 'The title of a post of photos.' }),
  disableComment: z.boolean().optional(),
  disableDuet: z.boolean().optional(),
  disableStitch: z.boolean().optional(),
  autoAddMusic: z
    .boolean()
    .optional()
    .meta({ description: 'Photos get music that TikTok chooses.' }),
  brandContent: z
    .boolean()
    .optional()
    .meta({ description: 'Says that the post is a paid partnership.' }),
  brandOrganic: z
    .boolean()
    .optional()
    .meta({ description: 'Says that the post advertises the creator.' }),
  madeWithAi: z.boolean().optional().meta({ description: 'Says that the video was made with AI.' }),
  coverOffsetMs: z.int().min(0).max(600_000).optional().meta({
    description: 'Which frame of a video is its cover, in milliseconds.',
  }),
})
