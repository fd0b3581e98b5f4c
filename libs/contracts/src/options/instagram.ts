import { z } from 'zod'

/** What only Instagram takes. */
export const InstagramOptions = z.strictObject({
  story: z
    .boolean()
    .optional()
    .meta({ description: 'Publishes a story: one image or one video, no text.' }),
  shareToFeed: z
    .boolean()
    .optional()
    .meta({ description: 'Whether a reel is shown in the feed too; true unless given.' }),
  coverOffsetMs: z.int().min(0).max(900_000).optional().meta({
    description: 'Which frame of a reel is its cover, in milliseconds.',
  }),
})
