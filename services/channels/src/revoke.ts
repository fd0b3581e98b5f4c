import { acrossOrganizations, forOrganization } from '@herald/event-store/organization'
import { isGrantShared, type Owner, readSecrets, type Secrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import { type ChannelRow, findChannel } from './queries.ts'

const WITHIN_MS = 10_000

/**
 * Reads what ending a channel's grant takes, while it is still there, and gives the function that ends it. That one does
 * its best, logs a failure and never rejects. A grant that another channel lives on is left alone.
 */
export async function prepareRevocation(deps: Deps, owner: Owner): Promise<() => Promise<void>> {
  const { store, logger, credentialsKeys: keys } = deps
  const nothing = async () => {}
  const row = await findChannel(store.pool, owner.organizationId, owner.channelId)
  if (!row || !deps.platformOf(row.platform)?.connector.oauth?.revoke) return nothing
  const log = (error: unknown) =>
    logger.warn({ channelId: row.id, error }, 'The grant of a disconnected channel was not ended.')
  try {
    const kept = await readSecrets(forOrganization(store.pool, owner.organizationId), owner, keys)
    const isShared = await isGrantShared(acrossOrganizations(store.pool), row.id)
    return kept && !isShared ? () => revoke(deps, row, kept.secrets).catch(log) : nothing
  } catch (error) {
    // Secrets that cannot be read must not keep a channel from being disconnected.
    log(error)
    return nothing
  }
}

async function revoke({ platformOf, settings }: Deps, row: ChannelRow, secrets: Secrets) {
  const input = { baseUrl: row.base_url, settings: settings.of(row.platform), secrets }
  await platformOf(row.platform)?.connector.oauth?.revoke?.(input, {
    signal: AbortSignal.timeout(WITHIN_MS),
  })
}
