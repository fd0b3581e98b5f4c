import { z } from 'zod'

/** What a caller names a request, so that it is carried out once however often it comes. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')

/** An answer that may be the one that an earlier request with the same key got; then it says so. */
export type Replayable<Answer> = Answer & { isReplay?: true | undefined }

/** The schema of an answer that may be a replay. */
export function replayable<Shape extends z.ZodRawShape>(
  answer: z.ZodObject<Shape, z.core.$strict>,
) {
  return answer.extend({ isReplay: z.literal(true).optional() })
}
