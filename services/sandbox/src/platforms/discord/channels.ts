import { z } from 'zod'
import { type Answer, bearerOf, type Call, jsonAnswer } from '../../call.ts'
import { randomText } from '../../random-text.ts'
import { readForm } from '../../read-form.ts'
import { authenticateBot, channelOf, guildOf, isBot, webhookOf } from './authenticate.ts'
import { LIMITS } from './limits.ts'
import { refuse, refuseField } from './refusals.ts'
import type { Discord } from './server.ts'
import type { Message } from './state.ts'
import { botView, channelView, guildView, messageView, webhookView } from './views.ts'

/** `GET /users/@me`: the bot, or the person whose token it is. */
export function showMe(discord: Discord, call: Call): Answer {
  if (isBot(call)) return jsonAnswer(200, botView())
  const grant = discord.provider.standing(bearerOf(call))
  if (grant.standing !== 'good') authenticateBot(call)
  return jsonAnswer(200, {
    id: '1000000000000000000',
    username: 'somebody',
    discriminator: '0',
    global_name: 'Somebody',
    avatar: null,
  })
}

/** `GET /guilds/:guildId` */
export function showGuild(discord: Discord, call: Call): Answer {
  return jsonAnswer(200, guildView(guildOf(discord, call)))
}

/** `GET /guilds/:guildId/channels`: all of them, whether or not the bot may post there. */
export function listChannels(discord: Discord, call: Call): Answer {
  const { id } = guildOf(discord, call)
  const channels = [...discord.state.channels.values()].filter(({ guildId }) => guildId === id)
  return jsonAnswer(200, channels.map(channelView))
}

/** `GET /channels/:channelId` */
export function showChannel(discord: Discord, call: Call): Answer {
  return jsonAnswer(200, channelView(channelOf(discord, call)))
}

const Limit = z.coerce.number().int().min(1).max(LIMITS.messages)

/** `GET /channels/:channelId/messages`, newest first. */
export function listMessages(discord: Discord, call: Call): Answer {
  const channel = channelOf(discord, call)
  const limit = Limit.safeParse(call.query.get('limit') ?? 50)
  if (!limit.success)
    refuseField(['limit'], 'NUMBER_TYPE_MAX', 'int value should be between 1 and 100.')
  const [before, after] = ['before', 'after'].map((name) => call.query.get(name))
  const messages = messagesOf(discord, channel.id)
    .filter(({ id }) => !before || BigInt(id) < idOf('before', before))
    .filter(({ id }) => !after || BigInt(id) > idOf('after', after))
  // What comes after a message is read from there upwards, but answered newest first all the same.
  const page = after ? messages.slice(0, limit.data) : messages.slice(-limit.data)
  return jsonAnswer(
    200,
    page.toReversed().map((message) => messageView(discord, message)),
  )
}

/** `GET /channels/:channelId/messages/:messageId` */
export function showMessage(discord: Discord, call: Call): Answer {
  const channel = channelOf(discord, call)
  const message = discord.state.messages.get(call.params['messageId'] ?? '')
  if (message?.channelId !== channel.id) refuse(404, 10008, 'Unknown Message')
  return jsonAnswer(200, messageView(discord, message))
}

/** `POST /channels/:channelId/webhooks` */
export async function createWebhook(discord: Discord, call: Call): Promise<Answer> {
  const { id: channelId, guildId } = channelOf(discord, call)
  const name = z
    .string()
    .min(1)
    .max(80)
    .safeParse((await readForm(call))?.fields['name'])
  if (!name.success) refuseField(['name'], 'BASE_TYPE_REQUIRED', 'This field is required')
  const webhook = {
    id: discord.newId(),
    token: randomText(51),
    channelId,
    guildId,
    name: name.data,
  }
  discord.record({ type: 'webhook-made', webhook })
  return jsonAnswer(200, webhookView(discord, webhook))
}

/** `GET /webhooks/:webhookId/:webhookToken` */
export function showWebhook(discord: Discord, call: Call): Answer {
  return jsonAnswer(200, webhookView(discord, webhookOf(discord, call)))
}

/** `DELETE /webhooks/:webhookId/:webhookToken` */
export function deleteWebhook(discord: Discord, call: Call): Answer {
  discord.record({ type: 'webhook-deleted', id: webhookOf(discord, call).id })
  return { status: 204, headers: {}, body: '' }
}

/** Oldest first. */
function messagesOf(discord: Discord, channelId: string): Message[] {
  return [...discord.state.messages.values()].filter((one) => one.channelId === channelId)
}

function idOf(name: string, text: string): bigint {
  if (/^\d{1,25}$/.test(text)) return BigInt(text)
  return refuseField([name], 'NUMBER_TYPE_COERCE', `Value "${text}" is not snowflake.`)
}
