import type { channels } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import type { Handlers } from '@herald/contracts/rpc'
import { handle } from '@herald/event-store/handle'
import { metaOf } from '@herald/event-store/meta'
import { checkProjections, rebuildProjections } from '@herald/event-store/rebuild'
import { access, reportDeadToken } from './access.ts'
import { channelStream } from './channel-stream.ts'
import { connect } from './connect.ts'
import { deleteSecrets } from './credentials.ts'
import type { Deps } from './deps.ts'
import { findChannel, listChannels, toChannel } from './queries.ts'

const STREAMS = [channelStream]

/** What the channels service answers. */
export function channelsHandlers(deps: Deps): Handlers<typeof channels> {
  const { pool } = deps.store
  return {
    list: async ({ organizationId, channels }) => ({
      data: (await listChannels(pool, organizationId, channels)).map(toChannel),
    }),

    getForPosting: async ({ organizationId, channelIds }) => ({
      data: (await listChannels(pool, organizationId, channelIds)).map(toChannel),
    }),

    connect: (input) => connect(deps, input),

    async disconnect({ organizationId, channelId }) {
      await handle(deps.store, channelStream, channelId, { type: 'Disconnect' }, {
        organizationId,
        meta: metaOf('operator'),
        riders: [deleteSecrets(channelId)],
      })
      const row = await findChannel(pool, organizationId, channelId)
      if (!row) throw new AppError('not_found', 'There is no such connected channel.')
      return toChannel(row)
    },

    access: (input) => access(deps, input),
    reportDeadToken: (input) => reportDeadToken(deps, input),

    checkProjections: () => checkProjections(pool, STREAMS),
    rebuildProjections: () => rebuildProjections(pool, STREAMS),
  }
}
