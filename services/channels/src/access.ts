import type { Channel, ChannelAccess } from '@herald/contracts/channels'
import { AppError, unavailable } from '@herald/contracts/errors'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { ConnectError, type FreshToken } from '@herald/platforms/platform'
import { channelStream } from './channel-stream.ts'
import { readSecrets, updateSecrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import { type ChannelRow, findChannel, toChannel } from './queries.ts'

type OneChannel = { organizationId: string; channelId: string }

/** A fresh token for the publisher. */
export async function access(deps: Deps, input: OneChannel): Promise<ChannelAccess> {
  const row = await requireActive(deps, input)
  const { token } = await renew(deps, row)
  return {
    channelId: row.id,
    platform: row.platform,
    baseUrl: row.base_url,
    token,
    account: row.account,
    username: row.username,
  }
}

/**
 * The platform refused a token. Somebody may have renewed it already; else it is renewed now. A grant that is dead by the
 * platform's own word makes the channel `reauth_required`; a platform that cannot be asked changes nothing.
 */
export async function reportDeadToken(
  deps: Deps,
  input: OneChannel & { token: string },
): Promise<Channel> {
  const row = await requireConnected(deps, input)
  if (row.status === 'active')
    await renew(deps, row, input.token).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'reauth_required') throw error
    })
  return toChannel(await requireConnected(deps, input))
}

/** Renews the token under a lock on the credentials, so that a token that can be used once is used once. */
async function renew(deps: Deps, row: ChannelRow, deadToken?: string): Promise<FreshToken> {
  const definition = deps.platformOf(row.platform)
  if (!definition) throw new AppError('not_found', 'This platform is not supported.')
  const owner = { organizationId: row.organization_id, channelId: row.id }
  const client = await deps.store.pool.connect()
  try {
    await client.query('begin')
    await client.query(`set local lock_timeout = '10s'; set local statement_timeout = '15s'`)
    const secrets = await readSecrets(client, owner, deps.credentialsKey, true)
    if (!secrets) throw new AppError('not_found', 'The channel is no longer connected.')
    const fresh = await definition.connector.freshToken({
      ...{ baseUrl: row.base_url, secrets, now: deps.now(), deadToken },
    })
    if (fresh.secrets) await updateSecrets(client, fresh.secrets, owner, deps.credentialsKey)
    await client.query('commit')
    return fresh
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw await explain(deps, row, error)
  } finally {
    client.release()
  }
}

async function explain(deps: Deps, row: ChannelRow, error: unknown): Promise<unknown> {
  if (!(error instanceof ConnectError)) return error
  if (error.kind === 'unavailable') return unavailable(error)
  await handle(deps.store, channelStream, row.id, { type: 'RequireReauth', reason: error.message }, {
    organizationId: row.organization_id,
    meta: metaOf('channels'),
  })
  return reauthRequired(row.id, error)
}

async function requireActive(deps: Deps, input: OneChannel): Promise<ChannelRow> {
  const row = await requireConnected(deps, input)
  if (row.status === 'reauth_required') throw reauthRequired(row.id)
  return row
}

async function requireConnected(
  { store }: Deps,
  { organizationId, channelId }: OneChannel,
): Promise<ChannelRow> {
  const row = await findChannel(store.pool, organizationId, channelId)
  if (!row || row.status === 'disconnected')
    throw new AppError('not_found', 'There is no such connected channel.')
  return row
}

function reauthRequired(channelId: string, cause?: unknown): AppError {
  return new AppError('reauth_required', 'The channel must be connected again.', {
    details: { channelIds: [channelId] },
    cause,
  })
}
