import { AppError } from '@herald/contracts/errors'
import { forOrganization } from '@herald/event-store/organization'
import { ConnectError } from '@herald/platforms/platform'
import { readSecrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import type { ChannelRow } from './queries.ts'
import { notConnected } from './refusals.ts'
import { askPlatform, ownerOf, renew, type Renewal } from './renew.ts'

/**
 * A token of a channel that can be used now: the kept one while it is good, else a new one. A grant that is dead by
 * the platform's own word makes the channel `reauth_required`; a platform that cannot be asked changes nothing, 503.
 */
export async function freshToken(deps: Deps, row: ChannelRow, deadToken?: string): Promise<string> {
  const renewal = renewalOf(deps, row, { deadToken })
  return (await keptToken(deps, renewal)) ?? (await renewOnce(deps, renewal))
}

/** Renews a token that expires within this time, and leaves alone one that lasts longer. Fails as `freshToken` does. */
export async function renewAhead(deps: Deps, row: ChannelRow, aheadMs: number): Promise<void> {
  await renewOnce(deps, renewalOf(deps, row, { aheadMs }))
}

function renewalOf(
  { platformOf }: Deps,
  row: ChannelRow,
  how: Pick<Renewal, 'deadToken' | 'aheadMs'>,
): Renewal {
  const connector = platformOf(row.platform)?.connector
  if (!connector) throw new AppError('not_found', 'This platform is not supported.')
  return { row, connector, ...how }
}

/** The kept token if it is good. A connector that has no time for a call answers without one or not at all. */
async function keptToken(deps: Deps, renewal: Renewal): Promise<string | undefined> {
  const owner = ownerOf(renewal.row)
  const target = forOrganization(deps.store.pool, owner.organizationId)
  const kept = await readSecrets(target, owner, deps.credentialsKeys)
  if (!kept) throw notConnected()
  try {
    const { token, secrets } = await askPlatform(deps, renewal, kept, AbortSignal.abort())
    return secrets ? undefined : token
  } catch (error) {
    if (error instanceof ConnectError) return undefined
    throw error
  }
}

/** Joins the same renewal if it is under way in this process. */
function renewOnce(deps: Deps, renewal: Renewal): Promise<string> {
  const same = JSON.stringify([renewal.row.id, renewal.deadToken])
  const underWay = deps.renewing.get(same)
  if (underWay) return underWay
  const started = renew(deps, renewal).finally(() => deps.renewing.delete(same))
  deps.renewing.set(same, started)
  return started
}
