import type { quota } from '@herald/contracts/quota'
import type { Handlers } from '@herald/contracts/rpc'
import { admit } from './admit.ts'
import type { Deps } from './deps.ts'
import { releasePost } from './post-units.ts'
import { reservations } from './reservations.ts'

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
