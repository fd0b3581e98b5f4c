import { readFile } from 'node:fs/promises'
import { Plan } from '@herald/contracts/accounts'
import { Limits, UNLIMITED } from '@herald/contracts/quota'
import { z } from 'zod'

/** As the file writes it: null is unlimited. */
const Limit = Limits.shape.requestsPerMinute.nullable().transform((limit) => limit ?? UNLIMITED)

const Plans = z.record(
  Plan,
  z
    .strictObject({
      apiAccess: z.boolean(),
      requestsPerMinute: Limit,
      requestsPerMonth: Limit,
      postsPerMonth: Limit,
    })
    .refine(
      (plan) => !plan.apiAccess || (plan.requestsPerMinute > 0 && plan.requestsPerMonth > 0),
      'needs at least one request per minute and per month to have API access',
    ),
)
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
