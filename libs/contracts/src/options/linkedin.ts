import { z } from 'zod'
import { Text } from '../text.ts'

/** What only LinkedIn takes. */
export const LinkedinOptions = z.strictObject({
  visibility: z.enum(['PUBLIC', 'CONNECTIONS']).optional().meta({
    description:
      'Who sees the post of a person; PUBLIC unless given. Posts of organizations are public.',
  }),
  documentTitle: Text.min(1)
    .max(400)
    .optional()
    .meta({ description: 'The title of a document; without it, the alt text of the file.' }),
})
