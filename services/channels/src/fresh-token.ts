import { AppError, unavailable } from '@herald/contracts/errors'
import { handle } from '@herald/event-store/handle'
import { RiderRefused } from '@herald/event-store/errors'
import { enterOrganization, forOrganization } from '@herald/event-store/organization'
import { metaOf } from '@herald/event-store/meta'
import { ConnectError, type Connector } from '@herald/platforms/platform'
import type { PoolClient } from '@herald/event-store/database'
import { channelStream } from './channel-stream.ts'
import {
  type Kept,
  lockSecrets,
  readSecrets,
  requireSameSecrets,
  updateSecrets,
} from './credentials.ts'
import type { Deps } from './deps.ts'
import { asBusy, notConnected, reauthRequired } from './refusals.ts'
import type { ChannelRow } from './queries.ts'

/** Longest wait for another process that is asking the platform for the same channel. */
const LOCK_WITHIN_MS = 4_000
/** For all that a renewal asks the platform, so that it ends before the caller's deadline of 20 s. */
const ASK_WITHIN_MS = 12_000

/**
 * A token of a channel that can be used now: the kept one while it is good, else a new one. A grant that is dead by
 * the platform's own word makes the channel `reauth_required`; a platform that cannot be asked changes nothing, 503.
 */
export async function freshToken(deps: Deps, row: ChannelRow, deadToken?: string): Promise<string> {
  const connector = deps.platformOf(row.platform)?.connector
  if (!connector) throw new AppError('not_found', 'This platform is not supported.')
  const renewal = { row, connector, deadToken }
  return (await keptToken(deps, renewal)) ?? (await renewOnce(deps, renewal))
}

type Renewal = { row: ChannelRow; connector: Connector; deadToken: string | undefined }

/** The kept token if it is good. A connector that has no time for a call answers without one or not at all. */
async function keptToken(deps: Deps, renewal: Renewal): Promise<string | undefined> {
  const kept = await readSecrets(
    forOrganization(deps.store.pool, renewal.row.organization_id),
    ownerOf(renewal.row),
    deps.credentialsKey,
  )
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

/** Asks the platform under a lock on the secrets, so that a refresh token that can be used once is used once. */
async function renew(deps: Deps, renewal: Renewal): Promise<string> {
  const owner = ownerOf(renewal.row)
  let kept: Kept | undefined
  try {
    return await inTransaction(deps, owner.organizationId, async (client) => {
      kept = await lockSecrets(client, owner, deps.credentialsKey)
      if (!kept) throw notConnected()
      const signal = AbortSignal.timeout(ASK_WITHIN_MS)
      const { token, secrets } = await askPlatform(deps, renewal, kept, signal)
      if (secrets) await updateSecrets(client, secrets, owner, deps.credentialsKey)
      return token
    })
  } catch (error) {
    if (!(error instanceof ConnectError) || !kept) throw asBusy(error)
    if (error.kind === 'unavailable') throw unavailable(error)
    await requireReauth(deps, renewal.row, error, kept.nonce)
    throw reauthRequired(renewal.row.id, error)
  }
}

function askPlatform(
  { now, settings: all }: Deps,
  { row, connector, deadToken }: Renewal,
  { secrets }: Kept,
  signal: AbortSignal,
) {
  const settings = all.of(row.platform)
  return connector.freshToken(
    { baseUrl: row.base_url, settings, secrets, now: now(), deadToken },
    { signal },
  )
}

/** Marks the channel, unless its secrets were replaced after the platform was asked about them. */
async function requireReauth(
  { store, logger }: Deps,
  { id, organization_id: organizationId, platform }: ChannelRow,
  error: ConnectError,
  nonce: Buffer,
): Promise<void> {
  logger.warn({ channelId: id, platform, reason: error.message }, 'A channel must be reconnected.')
  try {
    await handle(
      store,
      channelStream,
      id,
      { type: 'RequireReauth', reason: error.message },
      {
        organizationId,
        meta: metaOf('channels'),
        riders: [requireSameSecrets(id, nonce)],
      },
    )
  } catch (failure) {
    throw failure instanceof RiderRefused ? unavailable(failure) : failure
  }
}

/** Runs in a transaction of the organization on a connection of the renewals' own, which wait for platforms. */
async function inTransaction<T>(
  { renewals }: Deps,
  organizationId: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await renewals.connect().catch((error: unknown) => {
    throw unavailable(error)
  })
  let isBroken = false
  try {
    await client.query(`begin; set local lock_timeout = ${LOCK_WITHIN_MS}`)
    await enterOrganization(client, organizationId)
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => (isBroken = true))
    throw error
  } finally {
    client.release(isBroken)
  }
}

function ownerOf(row: ChannelRow) {
  return { organizationId: row.organization_id, channelId: row.id }
}
