import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { readCredentials, Secret } from '../credentials.ts'
import type { HttpResponse } from '../http.ts'
import {
  ConnectError,
  type FreshToken,
  type HttpDeps,
  type Identity,
  type IdentifyInput,
  type Settings,
  type TokenInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { botAuth, type Place, read, connectError, USER_AGENT } from './api.ts'
import { routeOf, webhookRoute } from './route.ts'

const Snowflake = z.string().regex(/^\d{1,25}$/, 'is not an id of Discord')

const BotCredentials = z.strictObject({ botToken: Secret, channelId: Snowflake })
const WebhookCredentials = z.strictObject({
  webhookUrl: z
    .string()
    .trim()
    .regex(
      /^https?:\/\/[^/\s]+\/\S*?webhooks\/\d{1,25}\/[\w-]{1,200}$/,
      'is not the address of a Discord webhook',
    ),
})

/** A text channel or an announcement channel: where messages can be posted. */
export const Channel = z.object({
  id: Snowflake,
  type: z.number(),
  name: z.string(),
  position: z.number().default(0),
  guild_id: Snowflake.optional(),
})
export type Channel = z.infer<typeof Channel>
export const Guild = z.object({ id: Snowflake, name: z.string(), icon: z.string().nullish() })
export type Guild = z.infer<typeof Guild>
const Webhook = z.object({
  id: Snowflake,
  guild_id: Snowflake,
  name: z.string().nullish(),
  avatar: z.string().nullish(),
})

/**
 * The channel of a bot, or a webhook. That a bot is on a server does not prove that somebody may post there, so a
 * channel is connected by granting access to Herald's bot, or by the token of a bot of one's own.
 */
export async function identify(
  { credentials, ...place }: IdentifyInput & { settings: Settings },
  deps?: HttpDeps,
): Promise<Identity> {
  return 'webhookUrl' in credentials
    ? await identifyWebhook(place, readCredentials(WebhookCredentials, credentials), deps)
    : await identifyChannel(place, readCredentials(BotCredentials, credentials), deps)
}

/** Types 0 and 5 are text and announcement channels. */
export function isPostable({ type }: Channel): boolean {
  return type === 0 || type === 5
}

export function identityOf(
  { id, name }: Channel,
  guild: Guild,
  { settings }: Place,
  secrets: Record<string, string>,
): Identity {
  return {
    account: id,
    username: name,
    name: `#${name} (${guild.name})`,
    avatarUrl: pictureOf(settings, 'icons', guild.id, guild.icon),
    rules: {},
    limits: { guildId: guild.id },
    secrets,
  }
}

async function identifyChannel(
  place: Place,
  credentials: z.infer<typeof BotCredentials>,
  deps?: HttpDeps,
): Promise<Identity> {
  const { botToken, channelId } = credentials
  const headers = botAuth(botToken)
  const channel = readAs(Channel, await read(place, `/channels/${channelId}`, headers, deps))
  if (!isPostable(channel) || channel.guild_id === undefined)
    throw new ConnectError('refused', 'This is not a text or announcement channel of a server.')
  const guild = readAs(Guild, await read(place, `/guilds/${channel.guild_id}`, headers, deps))
  // Herald's own bot may get another token, and its channels with it.
  const isOurs = botToken === place.settings['botToken']
  return identityOf(channel, guild, place, isOurs ? { channelId } : credentials)
}

async function identifyWebhook(
  place: Place,
  { webhookUrl }: z.infer<typeof WebhookCredentials>,
  deps?: HttpDeps,
): Promise<Identity> {
  const { path } = webhookRoute(tokenOfWebhook(webhookUrl))
  const webhook = readAs(Webhook, await read(place, path, USER_AGENT, deps))
  const name = webhook.name || 'Webhook'
  return {
    account: webhook.id,
    username: name,
    name,
    avatarUrl: pictureOf(place.settings, 'avatars', webhook.id, webhook.avatar),
    rules: {},
    limits: { guildId: webhook.guild_id },
    secrets: { webhookUrl },
  }
}

/**
 * The token of the bot, or the id and token of the webhook; neither expires. One that was refused is tried on the channel
 * first: it is dead when Discord says so, when the channel is gone, and when the bot was removed from its server.
 */
export async function freshToken(
  { secrets, deadToken, ...place }: TokenInput,
  deps?: HttpDeps,
): Promise<FreshToken> {
  const { webhookUrl, channelId } = secrets
  const token = webhookUrl ? tokenOfWebhook(webhookUrl) : botTokenOf(secrets, place.settings)
  if (token === deadToken) {
    const { path, headers } = routeOf({ token, account: channelId ?? '' })
    const answer = await read(place, path, headers, deps)
    if (answer.status !== 200) throw connectError(answer, 'unavailable')
  }
  return { token, expiresAt: null }
}

function botTokenOf(secrets: Record<string, string>, settings: Settings): string {
  if (!secrets['channelId'])
    throw new ConnectError('refused', 'There is no access to a channel. Connect it again.')
  const token = secrets['botToken'] ?? settings['botToken']
  if (token) return token
  throw new ConnectError('unavailable', 'This Herald has no bot: set DISCORD_BOT_TOKEN.')
}

/** The address says which webhook it is; the call goes to the API as it is set. */
function tokenOfWebhook(webhookUrl: string): string {
  return webhookUrl.split('/').slice(-2).join('/')
}

/** What Discord answered to what a person gave, or the `ConnectError` that it comes to. */
export function readAs<T extends z.ZodType>(schema: T, answer: HttpResponse): z.output<T> {
  if (answer.status !== 200) throw connectError(answer, 'refused')
  const read = readJson(schema, answer.text)
  if (read === undefined)
    throw new ConnectError('unavailable', 'The answer of Discord is not readable.')
  return read
}

function pictureOf(
  { cdnUrl }: Settings,
  kind: 'icons' | 'avatars',
  id: string,
  hash: string | null | undefined,
): string | null {
  return hash && cdnUrl ? addressOf(cdnUrl, `/${kind}/${id}/${encodeURIComponent(hash)}.png`) : null
}
