import type { Channel } from '@herald/contracts/channels'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { channelStream } from './channel-stream.ts'
import { deleteSecrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import { findChannel } from './queries.ts'
import { asBusy, notConnected } from './refusals.ts'
import { prepareRevocation } from './revoke.ts'
import { toChannel } from './view.ts'

/**
 * Disconnects a channel; its secrets are deleted by the same statement. Its posts fail when their time comes. Then the
 * platform is told that the grant is over, and nobody waits for that.
 */
export async function disconnect(
  deps: Deps,
  { organizationId, channelId }: { organizationId: string; channelId: string },
): Promise<Channel> {
  const { store } = deps
  const revoke = await prepareRevocation(deps, { organizationId, channelId })
  await handle(
    store,
    channelStream,
    channelId,
    { type: 'Disconnect' },
    {
      organizationId,
      meta: metaOf('operator'),
      riders: [deleteSecrets(channelId)],
    },
  ).catch((error: unknown) => {
    throw asBusy(error)
  })
  void revoke()
  const row = await findChannel(store.pool, organizationId, channelId)
  if (!row) throw notConnected()
  return toChannel(row)
}
