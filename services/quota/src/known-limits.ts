import type { accounts } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import type { Limits } from '@herald/contracts/quota'
import type { Client } from '@herald/contracts/rpc'

type Accounts = Pick<Client<typeof accounts>, 'limitsOf'>
type Known = { limits: Limits; until: number }

const GOOD_FOR_MS = 5_000
const MOST_ORGANIZATIONS = 10_000

/**
 * Remembers for 5 s what an organization's plan allows, as long as the gateways remember a key. While accounts cannot
 * be asked, what was known last goes on to hold: plans change rarely.
 */
export function knownLimits(
  { limitsOf }: Accounts,
  elapsed: () => number = () => performance.now(),
): (organizationId: string) => Promise<Limits> {
  const known = new Map<string, Known>()
  const asked = new Map<string, Promise<Limits>>()

  const ask = async (organizationId: string): Promise<Limits> => {
    const until = elapsed() + GOOD_FOR_MS
    try {
      const limits = await limitsOf({ organizationId })
      if (known.size >= MOST_ORGANIZATIONS) known.clear()
      known.set(organizationId, { limits, until })
      return limits
    } catch (error) {
      const last = known.get(organizationId)
      if (!last || (error instanceof AppError && error.status < 500)) throw error
      known.set(organizationId, { limits: last.limits, until })
      return last.limits
    }
  }

  return async (organizationId) => {
    const entry = known.get(organizationId)
    if (entry && entry.until > elapsed()) return entry.limits
    const running = asked.get(organizationId)
    if (running) return running
    const asking = ask(organizationId).finally(() => asked.delete(organizationId))
    asked.set(organizationId, asking)
    return asking
  }
}
