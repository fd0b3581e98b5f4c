import { z } from 'zod'
import { Violation } from './platforms.ts'

/** The answer of `POST /posts/validate`. */
export const PostValidation = z
  .strictObject({
    valid: z.boolean().meta({ description: 'Whether no rule of any channel is broken.' }),
    violations: z.array(Violation).meta({ description: 'Every rule that is broken.' }),
  })
  .meta({ id: 'PostValidation' })
export type PostValidation = z.infer<typeof PostValidation>

/** The body of `POST /posts/{id}/retry`, which may be left out. */
export const RetryPostBody = z
  .strictObject({
    includeUnconfirmed: z.boolean().default(false).meta({
      description:
        'Send again to channels of which nobody knows whether the post is live there. Look at the account first.',
    }),
  })
  .meta({ id: 'RetryPost' })
export type RetryPostBody = z.infer<typeof RetryPostBody>
