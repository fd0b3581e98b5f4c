import { z } from 'zod'

/** What only Discord takes. */
export const DiscordOptions = z.strictObject({
  suppressEmbeds: z.boolean().optional().meta({ description: 'Shows no previews of links.' }),
  silent: z.boolean().optional().meta({ description: 'Sends without a notification.' }),
})
