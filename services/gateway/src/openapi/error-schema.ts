import { ErrorBody, ErrorCode } from '@herald/contracts/errors'
import { ChannelId, PostId } from '@herald/contracts/ids'
import { Violation } from '@herald/contracts/platforms'
import { Instant } from '@herald/contracts/time'
import { z } from 'zod'

/** What each code means, for the reader of the document. */
export const ERROR_CODES = {
  unauthorized: 'The API key is missing, invalid, expired or revoked. 401.',
  forbidden_scope: 'The API key lacks the scope, or not all channels of the post are its own. 403.',
  plan_required: "The organization's plan has no API access. 403.",
  reauth_required: 'A channel must be connected again by a person; `details.channelIds`. 409.',
  not_found: 'There is nothing there, or the key does not see it. 404.',
  validation_failed:
    'The request is wrong and will stay so: 422 for a query, a body or a platform rule (`details.issues`, ' +
    '`details.violations`), 405 for the method, 413 for the size, 415 for the type, and what HTTP itself forbids.',
  limit_reached: 'A limit of the plan is reached. 409.',
  duplicate_post: 'The same post was created within the last 5 minutes; `details.postId`. 409.',
  conflict: 'The state of the thing forbids it. 409, or 412 when it is not the version you named.',
  rate_limited: 'Too many requests in the last minute; `details.resetsAt`. 429.',
  quota_exceeded: "The organization's requests of this month are used up; `details.resetsAt`. 429.",
  internal_error: 'Herald failed: 500 for a bug, 503 when a part of it is unavailable for now.',
} satisfies Record<ErrorCode, string>

const Code = ErrorCode.meta({
  id: 'ErrorCode',
  description: [
    'What went wrong, for a program:',
    '',
    ...Object.entries(ERROR_CODES).map(([code, meaning]) => `- \`${code}\`: ${meaning}`),
  ].join('\n'),
  'x-enumDescriptions': ERROR_CODES,
})

const Issue = z
  .strictObject({
    path: z.string().meta({ description: 'Where, such as `channelIds.0`.' }),
    message: z.string().meta({ description: 'What is wrong there.' }),
  })
  .meta({ id: 'Issue', description: 'One place of a body or query that is wrong.' })

/** The facts that come with an error. Which ones depends on the code, and there may be others. */
const Details = z
  .looseObject({
    issues: z.array(Issue),
    violations: z.array(Violation.meta({ id: 'Violation' })).meta({
      description: 'Every platform rule that the post does not meet.',
    }),
    postId: PostId,
    channelIds: z.array(ChannelId),
    resetsAt: Instant,
  })
  .partial()
  .meta({ id: 'ErrorDetails', description: 'Facts for a program. Others may be added.' })

/** The error envelope with all that is known of its details. */
export const ErrorSchema = z
  .strictObject({
    error: ErrorBody.extend({
      code: Code,
      message: z.string().meta({ description: 'A sentence that can be shown to a person.' }),
      details: Details.optional(),
    }),
  })
  .meta({ id: 'Error', description: 'The body of every answer that is not a success.' })
