import type { accounts } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import type { Limits } from '@herald/contracts/quota'
import type { Client } from '@herald/contracts/rpc'

type Accounts = Pick<Client<typeof accounts>, 'limitsOf'>
type Known = { limits: Limits; askedAt: number }

const GOOD_FOR_MS = 5_000
const USABLE_FOR_MS = 65_000
const MOST_ORGANIZATIONS = 10_000

/**
 * Remembers what an organization's plan allows. After 5 s it is asked for again, and for a minute longer nobody waits for
 * the answer: a request must not be slow because a plan may have changed. While accounts cannot be asked, what was known
 * last goes on to hold.
 */
export function knownLimits(
  { limitsOf }: Accounts,
  elapsed: () => number = () => performance.now(),
): (organizationId: string) => Promise<Limits> {
  const known = new Map<string, Known>()
  const asked = new Map<string, Promise<Limits>>()

  const ask = async (organizationId: string): Promise<Limits> => {
    const askedAt = elapsed()
    try {
      const limits = await limitsOf({ organizationId })
      if (known.size >= MOST_ORGANIZATIONS) known.clear()
      known.set(organizationId, { limits, askedAt })
      return limits
    } catch (error) {
      const last = known.get(organizationId)
      if (!last || (error instanceof AppError && error.status < 500)) throw error
      known.set(organizationId, { limits: last.limits, askedAt })
      return last.limits
    }
  }

  const askOnce = (organizationId: string): Promise<Limits> => {
    const running = asked.get(organizationId)
    if (running) return running
    const asking = ask(organizationId).finally(() => asked.delete(organizationId))
    asked.set(organizationId, asking)
    return asking
  }

  return async (organizationId) => {
    const entry = known.get(organizationId)
    const age = entry ? elapsed() - entry.askedAt : Infinity
    if (!entry || age >= USABLE_FOR_MS) return askOnce(organizationId)
    if (age >= GOOD_FOR_MS) askOnce(organizationId).catch(() => void known.delete(organizationId))
    return entry.limits
  }
}
