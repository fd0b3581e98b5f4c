import { BOT, type Discord } from './server.ts'
import type { Attachment, Channel, Message, Webhook } from './state.ts'

export function guildView({ id, username }: { id: string; username: string }) {
  return {
    id,
    name: username,
    icon: null,
    owner_id: '1000000000000000000',
    features: [],
    premium_tier: 0,
    roles: [],
    emojis: [],
  }
}

export function channelView({ id, guildId, type, name, position }: Channel) {
  return {
    id,
    type,
    guild_id: guildId,
    name,
    position,
    permission_overwrites: [],
    parent_id: null,
    flags: 0,
    ...(type !== 4 && { last_message_id: null, rate_limit_per_user: 0, nsfw: false }),
  }
}

export function botView() {
  return {
    id: BOT.id,
    username: BOT.username,
    discriminator: '0000',
    global_name: null,
    avatar: null,
    bot: true,
    flags: 0,
  }
}

export function webhookView(discord: Discord, { id, token, channelId, guildId, name }: Webhook) {
  return {
    id,
    type: 1,
    guild_id: guildId,
    channel_id: channelId,
    name,
    avatar: null,
    token,
    application_id: null,
    url: `${discord.baseUrl()}/api/webhooks/${id}/${token}`,
  }
}

/** A message as its author is answered it. Only then it has its nonce; who reads it later is not told. */
export function messageView(discord: Discord, message: Message, hasNonce = false) {
  const { webhookId } = message
  const webhook = discord.state.webhooks.get(webhookId ?? '')
  const author =
    webhookId === null
      ? botView()
      : {
          id: webhookId,
          username: webhook?.name ?? 'Webhook',
          discriminator: '0000',
          avatar: null,
          bot: true,
        }
  return {
    id: message.id,
    type: 0,
    channel_id: message.channelId,
    author,
    content: message.content,
    timestamp: new Date(message.at).toISOString().replace('Z', '000+00:00'),
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: message.attachments.map((one) => attachmentView(discord, message, one)),
    embeds: [],
    pinned: false,
    flags: message.flags,
    components: [],
    ...(webhookId !== null && { webhook_id: webhookId }),
    ...(hasNonce && message.nonce !== null && { nonce: message.nonce }),
  }
}

export function attachmentUrl(
  discord: Discord,
  { channelId }: Message,
  { id, fileName }: Attachment,
): string {
  return `${discord.baseUrl()}/attachments/${channelId}/${id}/${fileName}`
}

function attachmentView(discord: Discord, message: Message, attachment: Attachment) {
  const { id, fileName, description, mimeType, sizeBytes, width, height } = attachment
  const url = attachmentUrl(discord, message, attachment)
  return {
    id,
    filename: fileName,
    ...(description !== null && { description }),
    content_type: mimeType,
    size: sizeBytes,
    url,
    proxy_url: url,
    ...(width !== null && height !== null && { width, height }),
  }
}
