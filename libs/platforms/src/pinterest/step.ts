import { z } from 'zod'

/** What `prepare` leaves for `commit`: where Pinterest fetches the pictures, in their order, or the uploaded video. */
const Step = z.object({
  images: z.array(z.url()).optional(),
  video: z.object({ mediaId: z.string().min(1), isProcessed: z.boolean() }).optional(),
})
export type Step = z.infer<typeof Step>

/** A step as an earlier call has left it; nothing is done in one that is not readable. */
export function readStep(step: Record<string, unknown> = {}): Step {
  return Step.safeParse(step).data ?? {}
}
