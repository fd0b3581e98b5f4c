import { z } from 'zod'
import { Text } from '../text.ts'

/** What only Mastodon takes. */
export const MastodonOptions = z.strictObject({
  visibility: z.enum(['public', 'unlisted', 'private']).optional().meta({
    description: 'Who sees it; without it, what the account has set.',
  }),
  sensitive: z
    .boolean()
    .optional()
    .meta({ description: 'Files are hidden until they are asked for.' }),
  spoilerText: Text.optional().meta({
    description: 'The content warning that stands before the text.',
  }),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/)
    .optional()
    .meta({ description: 'ISO 639 code of the text.' }),
})
