import { z } from 'zod'
import { lastPartStart } from './session.ts'
import type { MediaFacts } from '../platform.ts'

/** What `prepare` leaves for `commit`: the session of the upload, and how many bytes YouTube has. */
export const Step = z.object({
  fileId: z.string(),
  session: z.url({ protocol: /^https?$/ }),
  storedBytes: z.int().nonnegative(),
})
export type Step = z.infer<typeof Step>

/** The step of this file, or undefined when there is none that can be read. */
export function readStep(
  step: Record<string, unknown> | undefined,
  file: Pick<MediaFacts, 'id'>,
): Step | undefined {
  const read = Step.safeParse(step).data
  return read?.fileId === file.id ? read : undefined
}

/** Whether only the last part is missing. */
export function isPrepared({ storedBytes }: Step, { sizeBytes }: MediaFacts): boolean {
  return storedBytes >= lastPartStart(sizeBytes)
}
