import { z } from 'zod'

/** How far the upload of a file has come. `key` is what X calls the file in the posts that have it. */
const Upload = z.object({
  id: z.string().regex(/^\d{1,19}$/),
  key: z.string(),
  sizeBytes: z.int().positive(),
  sentBytes: z.int().nonnegative(),
  isWhole: z.boolean(),
  isReady: z.boolean(),
  isDescribed: z.boolean(),
})
export type Upload = z.infer<typeof Upload>

/** What `prepare` leaves for `commit`: the uploads, by Herald's id of the file. */
export const Step = z.object({ uploads: z.record(z.string(), Upload).default({}) })
export type Step = z.infer<typeof Step>

/** A step as an earlier call has left it; nothing is done in one that is not readable. */
export function readStep(step: Record<string, unknown> = {}): Step {
  return Step.safeParse(step).data ?? { uploads: {} }
}
