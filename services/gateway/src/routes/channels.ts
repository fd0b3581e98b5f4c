import type { channels } from '@herald/contracts/channels'
import { AppError } from '@herald/contracts/errors'
import type { ROUTES } from '@herald/contracts/http'
import { ChannelId } from '@herald/contracts/ids'
import type { Client } from '@herald/contracts/rpc'
import type { Endpoint } from './endpoint.ts'

export type ChannelsClient = Pick<
  Client<typeof channels>,
  'list' | 'choices' | 'finishConnect' | 'chooseAccounts'
>

/** `GET /channels`: those that the key may see. */
export function listChannels(channels: ChannelsClient): Endpoint<typeof ROUTES.listChannels> {
  return ({ caller: { organizationId, channels: visible } }) =>
    channels.list({ organizationId, channels: visible })
}

/** `GET /channels/{id}/options` */
export function listChannelOptions(
  channels: ChannelsClient,
): Endpoint<typeof ROUTES.listChannelOptions> {
  return async ({ caller: { organizationId, channels: visible }, params: { id }, query }) => {
    // What is no channel id names no channel; the answer is that of the channels service.
    if (!ChannelId.safeParse(id).success)
      throw new AppError('not_found', 'There is no such connected channel.')
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    return channels.choices({
      organizationId,
      channels: visible,
      channelId: id,
      query: Object.fromEntries(given),
    })
  }
}
