import { readFile } from 'node:fs/promises'
import { Plan } from '@herald/contracts/accounts'
import { z } from 'zod'

const Plans = z.record(Plan, z.object({ apiAccess: z.boolean() }))
/** What each plan allows. */
export type Plans = z.infer<typeof Plans>

/** Reads the plans: from a file that the operator names, else those that come with Herald. */
export async function loadPlans(file: string | undefined): Promise<Plans> {
  const text = await readFile(file ?? new URL('plans.json', import.meta.url), 'utf8')
  return Plans.parse(JSON.parse(text))
}
