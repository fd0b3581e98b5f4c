import { z } from 'zod'
import { Text, WebLink } from '../text.ts'

/** What only Facebook takes. */
export const FacebookOptions = z.strictObject({
  link: WebLink.optional().meta({
    description: 'The page that a post without files shows a preview of.',
  }),
  reel: z
    .boolean()
    .optional()
    .meta({ description: 'Publishes the video as a reel instead of a video.' }),
  title: Text.max(255).optional().meta({ description: 'The title of a video.' }),
})
