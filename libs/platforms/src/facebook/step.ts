import { z } from 'zod'
import { addressOf, webAddress } from '../addresses.ts'
import type { PublishInput } from '../platform.ts'

const Reel = z.object({ id: z.string().min(1), isFetched: z.boolean() })

/** What `prepare` leaves for `commit`: Facebook's ids of the pictures, by Herald's, and the reel. */
export const Step = z.object({
  photos: z.record(z.string(), z.string()).default({}),
  reel: Reel.optional(),
})
export type Step = z.infer<typeof Step>

/** A step as an earlier call has left it; nothing is done in one that is not readable. */
export function readStep(step: Record<string, unknown> = {}): Step {
  return Step.safeParse(step).data ?? { photos: {} }
}

/** The address of something on Facebook. Those of videos are told without the host. */
export function linkTo(
  { settings }: Pick<PublishInput, 'settings'>,
  permalink: string | null | undefined,
  otherwise: string,
): string {
  const path = permalink?.startsWith('/') ? permalink : otherwise
  return webAddress(permalink) ?? addressOf(settings['webUrl'] ?? '', path)
}
