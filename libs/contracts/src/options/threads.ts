import { z } from 'zod'
import { Text, WebLink } from '../text.ts'

/** What only Threads takes. */
export const ThreadsOptions = z.strictObject({
  replyControl: z
    .enum(['everyone', 'accounts_you_follow', 'mentioned_only'])
    .optional()
    .meta({ description: 'Who may reply; everyone unless given.' }),
  topicTag: Text.min(1)
    .max(50)
    .regex(/^[^.&]*$/)
    .optional()
    .meta({ description: 'The topic of the post, without #.' }),
  link: WebLink.optional().meta({
    description: 'The page that a post without files shows a preview of.',
  }),
})
