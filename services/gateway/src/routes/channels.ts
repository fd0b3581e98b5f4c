import type { Endpoint } from './route.ts'

/** `GET /channels`: the connected channels that the key can post to. */
export const listChannels: Endpoint<'listChannels'> = ({ channels }, { caller }) =>
  channels.list({ organizationId: caller.organizationId, channels: caller.channels })
