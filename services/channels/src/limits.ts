import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { channelStream } from './channel-stream.ts'
import type { Deps } from './deps.ts'
import { noteLimitsRead } from './due.ts'
import { freshToken } from './fresh-token.ts'
import type { ChannelRow } from './queries.ts'

const WITHIN_MS = 15_000

/** Asks the platform what it takes from the account now, and notes it where that is something else than before. */
export async function refreshLimits(deps: Deps, row: ChannelRow): Promise<void> {
  const { store, settings } = deps
  const { id: channelId, organization_id: organizationId } = row
  const definition = deps.platformOf(row.platform)
  if (!definition?.connector.readLimits)
    return noteLimitsRead(store.pool, { organizationId, channelId }, 'never')
  const { rules, limits } = await definition.connector.readLimits(
    {
      baseUrl: row.base_url,
      settings: settings.of(row.platform),
      token: await freshToken(deps, row),
      account: row.account,
      limits: row.limits,
    },
    { signal: AbortSignal.timeout(WITHIN_MS) },
  )
  await handle(
    store,
    channelStream,
    channelId,
    { type: 'NoteLimits', rules: { ...definition.rules.defaults, ...rules }, limits },
    { organizationId, meta: metaOf('channels') },
  )
  await noteLimitsRead(store.pool, { organizationId, channelId }, { now: deps.now() })
}
