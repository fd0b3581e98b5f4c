import type { Channel } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import { type Command, type Context, table } from './command.ts'
import { CHANNEL_CONNECT } from './connect.ts'

type Owned = Channel & { organizationId: string }

/** `channel connect`, `channel list`, `channel disconnect`. */
export const CHANNEL_COMMANDS: Command[] = [
  CHANNEL_CONNECT,
  {
    name: 'channel list',
    help: 'List connected channels.',
    options: { org: { value: 'ORG', help: 'Only those of one organization.' } },
    async run(context, { options }) {
      const data = await listChannels(context, options.org)
      return {
        json: { data },
        lines: table(
          data.map((one) => [one.id, one.organizationId, one.platform, one.status, one.username]),
        ),
      }
    },
  },
  {
    name: 'channel disconnect',
    help: 'Disconnect a channel. Its credentials are deleted.',
    argument: { value: 'CHANNEL', option: 'channel', help: 'The id of the channel.' },
    options: {},
    async run(context, { argument }) {
      const found = (await listChannels(context)).find(({ id }) => id === argument)
      if (!found) throw new AppError('not_found', 'There is no such connected channel.')
      const { organizationId } = found
      const channel = await context.channels.disconnect({ organizationId, channelId: argument })
      return { json: channel, lines: [`Disconnected ${channel.id}.`] }
    },
  },
]

async function listChannels(context: Context, org?: string): Promise<Owned[]> {
  const { data } =
    org === undefined ? await context.accounts.listOrganizations({}) : { data: [{ id: org }] }
  const lists = await Promise.all(
    data.map(async ({ id: organizationId }) => {
      const list = await context.channels.list({ organizationId, channels: 'all' })
      return list.data.map((channel) => ({ ...channel, organizationId }))
    }),
  )
  return lists.flat()
}
