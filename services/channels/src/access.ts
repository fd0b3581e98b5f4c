import type { Channel, ChannelAccess } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import type { Deps } from './deps.ts'
import { freshToken } from './fresh-token.ts'
import { type ChannelRow, findChannel } from './queries.ts'
import { notConnected, reauthRequired } from './refusals.ts'
import { toChannel } from './view.ts'

type OneChannel = { organizationId: string; channelId: string }

/** A token for the publisher that can be used now. */
export async function access(deps: Deps, input: OneChannel): Promise<ChannelAccess> {
  const row = await requireConnected(deps, input)
  if (row.status === 'reauth_required') throw reauthRequired(row.id)
  const token = await freshToken(deps, row)
  return {
    channelId: row.id,
    platform: row.platform,
    baseUrl: row.base_url,
    token,
    account: row.account,
    username: row.username,
    settings: deps.settings.forPublishing(row.platform),
    limits: row.limits,
  }
}

/** The platform refused a token. Somebody may have renewed it already; else it is renewed now. */
export async function reportDeadToken(
  deps: Deps,
  input: OneChannel & { token: string },
): Promise<Channel> {
  const row = await requireConnected(deps, input)
  if (row.status === 'active')
    await freshToken(deps, row, input.token).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'reauth_required') throw error
    })
  return toChannel(await requireConnected(deps, input))
}

async function requireConnected(
  { store }: Deps,
  { organizationId, channelId }: OneChannel,
): Promise<ChannelRow> {
  const row = await findChannel(store.pool, organizationId, channelId)
  if (!row || row.status === 'disconnected') throw notConnected()
  return row
}
