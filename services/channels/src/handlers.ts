import type { channels } from '@herald/contracts/channels'
import type { Handlers } from '@herald/contracts/rpc'
import { checkProjections, rebuildProjections } from '@herald/event-store/rebuild'
import { access, reportDeadToken } from './access.ts'
import { beginConnect } from './begin-connect.ts'
import { channelStream } from './channel-stream.ts'
import { choices } from './choices.ts'
import { connect } from './connect.ts'
import type { Deps } from './deps.ts'
import { disconnect } from './disconnect.ts'
import { chooseAccounts, finishConnect } from './finish-connect.ts'
import { listChannels } from './queries.ts'
import { toChannel } from './view.ts'

/** Every type of stream that the service has. */
export const CHANNEL_STREAMS = [channelStream]

/** What the channels service answers. */
export function channelsHandlers(deps: Deps): Handlers<typeof channels> {
  const { pool } = deps.store
  return {
    list: async ({ organizationId, channels }) => ({
      data: (await listChannels(pool, organizationId, channels)).map(toChannel),
    }),
    getForPosting: async ({ organizationId, channelIds }) => ({
      data: (await listChannels(pool, organizationId, channelIds)).map((row) => ({
        ...toChannel(row),
        limits: row.limits,
      })),
    }),
    connect: (input) => connect(deps, input),
    beginConnect: (input) => beginConnect(deps, input),
    finishConnect: (input) => finishConnect(deps, input),
    chooseAccounts: (input) => chooseAccounts(deps, input),
    disconnect: (input) => disconnect(deps, input),
    choices: (input) => choices(deps, input),
    access: (input) => access(deps, input),
    reportDeadToken: (input) => reportDeadToken(deps, input),
    checkProjections: () => checkProjections(pool, CHANNEL_STREAMS),
    rebuildProjections: () => rebuildProjections(pool, CHANNEL_STREAMS),
  }
}
