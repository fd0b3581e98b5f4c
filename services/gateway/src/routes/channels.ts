import type { channels } from '@herald/contracts/channels'
import type { ROUTES } from '@herald/contracts/http'
import type { Client } from '@herald/contracts/rpc'
import type { Endpoint } from './endpoint.ts'

export type ChannelsClient = Pick<Client<typeof channels>, 'list'>

/** `GET /channels`: those that the key may see. */
export function listChannels(channels: ChannelsClient): Endpoint<typeof ROUTES.listChannels> {
  return ({ caller: { organizationId, channels: visible } }) =>
    channels.list({ organizationId, channels: visible })
}
