import { APP } from '../../oauth/provider.ts'
import type { LivePost, NewAccount, StandIn, StandInEntry, World } from '../../stand-in.ts'
import { openMeter, rateLimited } from './meter.ts'
import { discordOperations } from './operations.ts'
import { errorAnswer } from './refusals.ts'
import { BOT, type Discord, openDiscord } from './server.ts'
import type { Message } from './state.ts'
import { attachmentUrl } from './views.ts'

export const discord: StandInEntry = {
  platform: 'DISCORD',
  name: 'Discord',
  path: 'discord',
  open: openStandIn,
  settings: (baseUrl) => ({
    DISCORD_API_URL: `${baseUrl}/api/v10`,
    DISCORD_AUTHORIZE_URL: `${baseUrl}/oauth2/authorize`,
    DISCORD_TOKEN_URL: `${baseUrl}/api/oauth2/token`,
    DISCORD_APP_URL: baseUrl,
    DISCORD_CDN_URL: baseUrl,
    DISCORD_CLIENT_ID: APP.id,
    DISCORD_CLIENT_SECRET: APP.secret,
    DISCORD_BOT_TOKEN: BOT.token,
  }),
}

/** A stand-in of Discord with guilds, their channels and webhooks, and the sandbox's bot. */
function openStandIn(world: World): StandIn {
  const server = openDiscord(world)
  return {
    operations: discordOperations(server),
    accountOf: () => undefined,
    meter: openMeter(world),
    broken: () => errorAnswer(500, 0, '500: Internal Server Error'),
    rateLimited,
    // Neither the token of a bot nor a webhook expires.
    expireAccess: () => errorAnswer(401, 0, '401: Unauthorized'),
    tooLarge: () => errorAnswer(413, 40005, 'Request entity too large'),
    notFound: () => errorAnswer(404, 0, '404: Not Found'),
    createAccount: (username) => createAccount(server, username),
    accounts: () => accountsOf(server),
    revoke: (account) => revoke(server, account),
    live: () => [...server.state.messages.values()].map((message) => liveOf(server, message)),
  }
}

/** A guild of this name where the bot is, with four channels. The account is its first text channel. */
function createAccount(server: Discord, username: string | undefined): NewAccount {
  const guild = server.provider.accountNamed(username)
  const existing = [...server.state.channels.values()].find(({ guildId }) => guildId === guild.id)
  if (!existing) {
    const first = BigInt(server.newId())
    const channels = CHANNELS.map((channel, position) => ({
      ...channel,
      id: String(first + BigInt(position)),
      guildId: guild.id,
      position,
    }))
    server.record({ type: 'channels-made', channels })
  }
  server.record({ type: 'bot-added', guildId: guild.id })
  const account = accountsOf(server).find(({ guildId }) => guildId === guild.id)?.account ?? ''
  return { account, credentials: { botToken: BOT.token, channelId: account } }
}

const CHANNELS = [
  { type: 4, name: 'Text channels' },
  { type: 0, name: 'general' },
  { type: 5, name: 'news' },
  { type: 2, name: 'Lounge' },
]

/** The channels that Herald can be connected to, and the webhooks. */
function accountsOf({ state, provider }: Discord) {
  const channels = [...state.channels.values()].filter(({ type }) => type === 0 || type === 5)
  return [
    ...channels.map(({ id, name, guildId }) => ({
      account: id,
      username: `${provider.account(guildId)?.username ?? ''}/${name}`,
      guildId,
    })),
    ...[...state.webhooks.values()].map(({ id, name, guildId }) => ({
      account: id,
      username: name,
      guildId,
    })),
  ]
}

/** A webhook is deleted; from the guild of a channel the bot is removed. */
function revoke({ state, record, provider }: Discord, account: string): void {
  if (state.webhooks.has(account)) return record({ type: 'webhook-deleted', id: account })
  const guildId = state.channels.get(account)?.guildId
  if (guildId === undefined) return
  provider.revoke(guildId)
  record({ type: 'bot-removed', guildId })
}

function liveOf(server: Discord, message: Message): LivePost {
  const { id, guildId, channelId, webhookId, content, attachments, at } = message
  return {
    account: webhookId ?? channelId,
    id,
    url: `${server.baseUrl()}/channels/${guildId}/${channelId}/${id}`,
    text: content,
    media: attachments.map((attachment) => ({
      mimeType: attachment.mimeType,
      sizeBytes: attachment.sizeBytes,
      sha256: attachment.sha256,
      width: attachment.width,
      height: attachment.height,
      altText: attachment.description,
      url: attachmentUrl(server, message, attachment),
    })),
    at: new Date(at).toISOString(),
  }
}
