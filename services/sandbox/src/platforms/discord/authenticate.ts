import type { Call } from '../../call.ts'
import { refuse } from './refusals.ts'
import { BOT, type Discord } from './server.ts'
import type { Channel, Webhook } from './state.ts'

/** Discord blocks programs that do not say which they are. */
export function requireUserAgent({ headers }: Call): void {
  if (!headers['user-agent']) refuse(403, 40333, 'internal network error')
}

/** A call with the token of the bot: `Authorization: Bot …`. */
export function authenticateBot(call: Call): void {
  requireUserAgent(call)
  if (!isBot(call)) refuse(401, 0, '401: Unauthorized')
}

export function isBot({ headers }: Call): boolean {
  return headers.authorization === `Bot ${BOT.token}`
}

/** A channel that the bot can see: one of a guild where it is. */
export function channelOf(discord: Discord, call: Call): Channel {
  authenticateBot(call)
  const channel = discord.state.channels.get(call.params['channelId'] ?? '')
  if (!channel) refuse(404, 10003, 'Unknown Channel')
  if (!discord.state.botGuilds.has(channel.guildId)) refuse(403, 50001, 'Missing Access')
  return channel
}

/** A guild where the bot is. Of others it learns nothing. */
export function guildOf(discord: Discord, call: Call): { id: string; username: string } {
  authenticateBot(call)
  const guild = discord.provider.account(call.params['guildId'] ?? '')
  if (!guild || !discord.state.botGuilds.has(guild.id)) refuse(404, 10004, 'Unknown Guild')
  return guild
}

/** A webhook by the id and token in the path, which is all the access it needs. */
export function webhookOf(discord: Discord, call: Call): Webhook {
  requireUserAgent(call)
  const webhook = discord.state.webhooks.get(call.params['webhookId'] ?? '')
  if (!webhook) refuse(404, 10015, 'Unknown Webhook')
  if (webhook.token !== call.params['webhookToken']) refuse(401, 50027, 'Invalid Webhook Token')
  return webhook
}
