import { z } from 'zod'
import { Text } from '../text.ts'

/** What only YouTube takes. */
export const YoutubeOptions = z.strictObject({
  title: Text.max(1000)
    .optional()
    .meta({ description: 'The title, at most 100 characters. Required.' }),
  privacyStatus: z
    .enum(['public', 'unlisted', 'private'])
    .optional()
    .meta({ description: 'Who sees it. Required.' }),
  madeForKids: z
    .boolean()
    .optional()
    .meta({ description: 'Says that it is made for children; false unless given.' }),
  tags: z.array(Text.min(1).max(500)).max(100).optional(),
  categoryId: z
    .string()
    .regex(/^\d{1,4}$/)
    .optional()
    .meta({ description: 'See `GET /channels/{id}/options`.' }),
  notifySubscribers: z.boolean().optional().meta({ description: 'True unless given.' }),
  syntheticMedia: z
    .boolean()
    .optional()
    .meta({ description: 'Says that it shows altered or made-up scenes.' }),
})
