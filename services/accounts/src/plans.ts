import { readFile } from 'node:fs/promises'
import { Plan } from '@herald/contracts/accounts'
import { z } from 'zod'

const Plans = z.record(Plan, z.object({ apiAccess: z.boolean() }))
/** What each plan allows. */
export type Plans = z.infer<typeof Plans>

/**
 * Reads the plans: from a file that the operator names, else those that come with Herald. A file that lacks a plan or
 * is not readable stops the start.
 */
export async function loadPlans(file: string | undefined): Promise<Plans> {
  const source = file ?? new URL('plans.json', import.meta.url)
  try {
    return Plans.parse(JSON.parse(await readFile(source, 'utf8')))
  } catch (error) {
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
    throw new Error(`The plans file ${String(source)} is not valid:\n${problem}`, { cause: error })
  }
}
