import { z } from 'zod'

const Part = z.object({
  url: z.string(),
  first: z.int().nonnegative(),
  last: z.int().nonnegative(),
  /** What LinkedIn calls the part once it has it. */
  etag: z.string().nullable(),
})

/** A file as LinkedIn knows it. `token` and `parts` are those of a video that is being sent. */
const Upload = z.object({
  urn: z.string().regex(/^urn:li:(image|video|document):[\w-]+$/),
  token: z.string().default(''),
  parts: z.array(Part).default([]),
  isWhole: z.boolean(),
  isReady: z.boolean(),
})
export type Upload = z.infer<typeof Upload>

/** What `prepare` leaves for `commit`: the uploads, by Herald's id of the file. */
export const Step = z.object({ uploads: z.record(z.string(), Upload).default({}) })
export type Step = z.infer<typeof Step>

/** A step as an earlier call has left it; nothing is done in one that is not readable. */
export function readStep(step: Record<string, unknown> = {}): Step {
  return Step.safeParse(step).data ?? { uploads: {} }
}
