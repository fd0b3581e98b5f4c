import { z } from 'zod'

/** What only Bluesky takes. */
export const BlueskyOptions = z.strictObject({
  languages: z
    .array(z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/))
    .max(3)
    .optional()
    .meta({ description: 'BCP 47 tags of the languages of the text, at most three.' }),
})
