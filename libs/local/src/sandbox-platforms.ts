import { Platform } from '@herald/contracts/platforms'
import { z } from 'zod'

const Platforms = z.object({
  data: z.array(z.object({ platform: Platform, settings: z.record(z.string(), z.string()) })),
})

/** The platforms that a sandbox plays, each with the environment that leads a channels service to it. */
export async function sandboxPlatforms(sandboxUrl: string) {
  const response = await fetch(`${sandboxUrl}/_/platforms`, { signal: AbortSignal.timeout(10_000) })
  return Platforms.parse(await response.json()).data
}
