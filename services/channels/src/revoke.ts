import { isGrantShared, type Owner, readSecrets, type Secrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import { type ChannelRow, findChannel } from './queries.ts'

const WITHIN_MS = 10_000

/**
 * Reads what ending a channel's grant takes, while it is still there, and gives the function that ends it. That one does
 * its best, logs a failure and never rejects. A grant that another channel lives on is left alone.
 */
export async function prepareRevocation(deps: Deps, owner: Owner): Promise<() => Promise<void>> {
  const nothing = async () => {}
  const row = await findChannel(deps.store.pool, owner.organizationId, owner.channelId)
  if (!row || !deps.platformOf(row.platform)?.connector.oauth?.revoke) return nothing
  const log = (error: unknown) =>
    deps.logger.warn(
      { channelId: row.id, error },
      'The grant of a disconnected channel was not ended.',
    )
  // Secrets that cannot be read must not keep a channel from being disconnected.
  const kept = await readSecrets(deps.store.pool, owner, deps.credentialsKey).catch(log)
  if (!kept || (await isGrantShared(deps.store.pool, row.id))) return nothing
  return () => revoke(deps, row, kept.secrets).catch(log)
}

async function revoke({ platformOf, settings }: Deps, row: ChannelRow, secrets: Secrets) {
  const input = { baseUrl: row.base_url, settings: settings.of(row.platform), secrets }
  await platformOf(row.platform)?.connector.oauth?.revoke?.(input, {
    signal: AbortSignal.timeout(WITHIN_MS),
  })
}
