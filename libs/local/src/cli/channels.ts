import type { Channel } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import { Platform } from '@herald/contracts/platforms'
import { z } from 'zod'
import { type Command, type Context, table, UsageError } from './command.ts'

type Owned = Channel & { organizationId: string }

/** `channel connect`, `channel list`, `channel disconnect`. */
export const CHANNEL_COMMANDS: Command[] = [
  {
    name: 'channel connect',
    help: 'Connect an account of a platform, or connect it again.',
    options: {
      org: { value: 'ORG', help: 'The organization it belongs to.', required: true },
      platform: {
        value: 'P',
        help: 'Such as MASTODON or BLUESKY.',
        required: true,
        check: platformOf,
      },
      'base-url': {
        value: 'URL',
        help: 'The address of the instance or platform.',
        required: true,
      },
      credentials: {
        value: 'JSON',
        help: "The platform's credentials.",
        required: true,
        check: credentialsOf,
      },
      name: { value: 'NAME', help: 'A name of your own.' },
    },
    async run({ channels }, { options }) {
      const channel = await channels.connect({
        organizationId: options.org ?? '',
        platform: platformOf(options.platform),
        baseUrl: options['base-url'] ?? '',
        credentials: credentialsOf(options.credentials),
        name: options.name,
      })
      return { json: channel, lines: [`Connected ${channel.id} (${channel.username}).`] }
    },
  },
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

function platformOf(text: string | undefined): Platform {
  const parsed = Platform.safeParse(text?.toUpperCase())
  if (parsed.success) return parsed.data
  throw new UsageError(`--platform must be one of ${Platform.options.join(', ')}.`)
}

function credentialsOf(text: string | undefined): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text ?? ''))
  } catch {
    throw new UsageError('--credentials must be a JSON object whose values are strings.')
  }
}
