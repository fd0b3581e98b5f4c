import { z } from 'zod'

/** What only X takes. */
export const XOptions = z.strictObject({
  replySettings: z
    .enum(['following', 'mentionedUsers', 'subscribers', 'verified'])
    .optional()
    .meta({ description: 'Who may reply; everyone unless given.' }),
  madeWithAi: z.boolean().optional().meta({ description: 'Says that the post was made with AI.' }),
  paidPartnership: z.boolean().optional().meta({ description: 'Says that the post is paid for.' }),
})
