import type { Channel } from '@herald/contracts/channels'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { channelStream } from './channel-stream.ts'
import { deleteSecrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import { findChannel } from './queries.ts'
import { asBusy, notConnected } from './refusals.ts'
import { toChannel } from './view.ts'

/** Disconnects a channel; its secrets are deleted by the same statement. Its posts fail when their time comes. */
export async function disconnect(
  { store }: Deps,
  { organizationId, channelId }: { organizationId: string; channelId: string },
): Promise<Channel> {
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
  const row = await findChannel(store.pool, organizationId, channelId)
  if (!row) throw notConnected()
  return toChannel(row)
}
