import type { channels } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import type { Handlers } from '@herald/contracts/rpc'
import { z } from 'zod'
import { targetOf } from './connect.ts'
import type { Deps } from './deps.ts'
import { keepGrant, newToken } from './grants.ts'
import { asRefusal } from './refusals.ts'

type Begin = Handlers<typeof channels>['beginConnect']

/** What is needed when the person comes back, beside where and for whom. */
export const GrantSecret = z.object({
  redirectUri: z.string(),
  name: z.string().optional(),
  kept: z.record(z.string(), z.string()),
})
type GrantSecret = z.infer<typeof GrantSecret>

/** For all that a platform is asked before a person is sent to it. */
const BEGIN_WITHIN_MS = 15_000

/** Where a person is sent to grant access to an account. The state in that address is good once. */
export async function beginConnect(
  deps: Deps,
  input: Parameters<Begin>[0],
): Promise<Awaited<ReturnType<Begin>>> {
  const { organizationId, platform, redirectUri, name } = input
  const { definition, settings, baseUrl } = targetOf(deps, input)
  const { oauth } = definition.connector
  if (!oauth)
    throw new AppError(
      'validation_failed',
      `${definition.name} is connected with credentials; there is no page to grant access on.`,
      { details: { issues: [{ path: 'platform', message: 'has no OAuth' }] } },
    )
  const state = newToken()
  const now = deps.now()
  const { url, kept } = await oauth
    .begin(
      { baseUrl, settings, redirectUri, now, state },
      { signal: AbortSignal.timeout(BEGIN_WITHIN_MS) },
    )
    .catch((error: unknown) => {
      throw asRefusal(error, 'platform')
    })
  const secret: GrantSecret = { redirectUri, ...(name !== undefined && { name }), kept }
  const grant = { step: 'grant', organizationId, platform, baseUrl, secret } as const
  const expiresAt = await keepGrant(deps.store.pool, state, grant, {
    keys: deps.credentialsKeys,
    now,
  })
  return { url, expiresAt }
}
