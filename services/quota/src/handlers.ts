import type { quota } from '@herald/contracts/quota'
import type { Handlers } from '@herald/contracts/rpc'
import { admit } from './admit.ts'
import type { Deps } from './deps.ts'
import { countRefusals } from './metrics.ts'
import { releasePost } from './post-units.ts'
import { reservations } from './reservations.ts'

const REFUSED_BY = {
  rate_limited: 'requests_per_minute',
  quota_exceeded: 'requests_per_month',
} as const

/** What the quota service answers. */
export function quotaHandlers(deps: Deps): Handlers<typeof quota> {
  const { pool, limitsOf } = deps
  const reserve = reservations(deps)
  const knownLimits = ({ organizationId }: { organizationId: string }) =>
    limitsOf(organizationId).catch(() => undefined)
  return {
    async admit({ requests }) {
      const limits = await Promise.all(requests.map((request) => knownLimits(request)))
      const asked = requests.flatMap((request, index) => {
        const known = limits[index]
        return known && known.requestsPerMinute > 0 && known.requestsPerMonth > 0
          ? [{ ...request, limits: known }]
          : []
      })
      const answers = await admit(pool, asked)
      for (const [index, { refusal, granted }] of answers.entries()) {
        const refused = (asked[index]?.count ?? 0) - granted
        if (refusal) countRefusals(REFUSED_BY[refusal], refused)
      }
      const byKey = new Map(asked.map(({ keyId }, index) => [keyId, answers[index]]))
      return { admissions: requests.map(({ keyId }) => byKey.get(keyId) ?? null) }
    },

    async reservePost(input) {
      await reserve(input)
      return {}
    },

    async releasePost(input) {
      await releasePost(pool, input)
      return {}
    },
  }
}
