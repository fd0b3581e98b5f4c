import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '@herald/contracts/errors'
import type { PoolClient } from '@herald/event-store/database'
import { RiderRefused } from '@herald/event-store/errors'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { enterOrganization, forOrganization } from '@herald/event-store/organization'
import { ConnectError, type Connector } from '@herald/platforms/platform'
import { crashPoint } from '@herald/service/crash-point'
import { channelStream } from './channel-stream.ts'
import { giveUpSecrets, type Kept, lockSecrets, type Owner, renewedSecrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import type { ChannelRow } from './queries.ts'
import { asBusy, notConnected, reauthRequired } from './refusals.ts'
import { renewalTime } from './renewal-times.ts'

/** Longest wait for another process that is asking the platform for the same channel. */
const LOCK_WITHIN_MS = 4_000
/** For all that a renewal asks the platform, so that it ends before the caller's deadline of 20 s. */
const ASK_WITHIN_MS = 12_000
/** Between attempts to store what the platform has given already. */
const STORE_AGAIN_MS = [0, 300, 1_000]

export type Renewal = {
  row: ChannelRow
  connector: Connector
  /** Renew unless the token is another one by now. */
  deadToken?: string | undefined
  /** Renew unless the token lasts longer; the connector's own margin unless given. */
  aheadMs?: number | undefined
}

type Renewed = ReturnType<typeof renewedSecrets>

/** Asks the platform under a lock on the secrets, so that a refresh token that can be used once is used once. */
export async function renew(deps: Deps, renewal: Renewal): Promise<string> {
  const owner = ownerOf(renewal.row)
  let kept: Kept | undefined
  let given: { token: string; renewed: Renewed } | undefined
  try {
    return await inTransaction(deps, owner.organizationId, async (client) => {
      kept = await lockSecrets(client, owner, deps.credentialsKeys)
      if (!kept) throw notConnected()
      const signal = AbortSignal.timeout(ASK_WITHIN_MS)
      const { token, secrets, expiresAt } = await askPlatform(deps, renewal, kept, signal)
      if (!secrets) return token
      crashPoint('channels.renewed')
      const renewAt = renewalTime(deps.now(), expiresAt)
      const what = { secrets, expiresAt, renewAt }
      given = { token, renewed: renewedSecrets(what, owner, kept.nonce, deps.credentialsKeys) }
      await given.renewed.store(client)
      return token
    })
  } catch (error) {
    if (given) return storeAnyway(deps, renewal.row, given, error)
    if (!(error instanceof ConnectError) || !kept) throw asBusy(error)
    if (error.kind === 'unavailable') throw unavailable(error)
    await requireReauth(deps, renewal.row, error, kept.nonce)
    throw reauthRequired(renewal.row.id, error)
  }
}

/** What the connector says of a token, with the time that the signal gives it. Throws `ConnectError`. */
export function askPlatform(
  { now, settings: all }: Deps,
  { row, connector, deadToken, aheadMs }: Renewal,
  { secrets }: Kept,
  signal: AbortSignal,
) {
  const settings = all.of(row.platform)
  const ahead = aheadMs === undefined ? {} : { aheadMs }
  return connector.freshToken(
    { baseUrl: row.base_url, settings, secrets, now: now(), deadToken, ...ahead },
    { signal },
  )
}

export function ownerOf(row: ChannelRow): Owner {
  return { organizationId: row.organization_id, channelId: row.id }
}

/**
 * The platform has given new secrets, the old ones may be worth nothing, and the connection broke. They are stored on
 * another one, unless the channel has been connected anew or disconnected.
 */
async function storeAnyway(
  { store, logger }: Deps,
  { id: channelId, organization_id: organizationId, platform }: ChannelRow,
  { token, renewed }: { token: string; renewed: Renewed },
  cause: unknown,
): Promise<string> {
  const target = forOrganization(store.pool, organizationId)
  for (const ms of STORE_AGAIN_MS) {
    await sleep(ms)
    const isStored = await renewed.store(target).catch(() => undefined)
    if (isStored) return token
    if (isStored === false) throw unavailable(cause)
  }
  logger.error({ channelId, platform, error: cause }, 'A renewed token could not be stored.')
  throw unavailable(cause)
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
        riders: [giveUpSecrets(id, nonce)],
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
  const noteBroken = () => void (isBroken = true)
  // Without a listener, a connection that ends while a platform is asked would end the process.
  client.on('error', noteBroken)
  try {
    await client.query(`begin; set local lock_timeout = ${LOCK_WITHIN_MS}`)
    await enterOrganization(client, organizationId)
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(noteBroken)
    throw error
  } finally {
    client.off('error', noteBroken)
    client.release(isBroken)
  }
}
