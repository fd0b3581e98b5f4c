import { z } from 'zod'
import { Text, WebLink } from '../text.ts'

/** What only Pinterest takes. */
export const PinterestOptions = z.strictObject({
  boardId: z
    .string()
    .regex(/^\d{1,30}$/)
    .optional()
    .meta({ description: 'The board: see `GET /channels/{id}/options`. Required.' }),
  title: Text.max(1000).optional().meta({ description: 'The title, at most 100 characters.' }),
  link: WebLink.optional().meta({ description: 'Where the pin leads.' }),
  coverOffsetSeconds: z.number().min(0).max(900).optional().meta({
    description: 'Which frame of a video is its cover, in seconds; the first unless given.',
  }),
})
