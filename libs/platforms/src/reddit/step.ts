import { z } from 'zod'

/** A file in Reddit's storage. */
const Upload = z.object({ assetId: z.string().min(1), url: z.url() })
export type Upload = z.infer<typeof Upload>

/** What `prepare` leaves for `commit`: each file by Herald's id of it, and the picture that a video shows first. */
const Step = z.object({
  uploads: z.record(z.string(), Upload).default({}),
  poster: Upload.optional(),
})
export type Step = z.infer<typeof Step>

/** A step as an earlier call has left it; nothing is done in one that is not readable. */
export function readStep(step: Record<string, unknown> = {}): Step {
  return Step.safeParse(step).data ?? { uploads: {} }
}
