import { type Answer, type Call, jsonAnswer, Refusal } from '../../call.ts'
import { channelOf, webhookOf } from './authenticate.ts'
import { LIMITS } from './limits.ts'
import { type MessageInput, readMessage } from './message-input.ts'
import { errorAnswer, refuse } from './refusals.ts'
import type { Discord } from './server.ts'
import type { Channel, Message } from './state.ts'
import { messageView } from './views.ts'

/** `POST /channels/:channelId/messages` by the bot. A nonce that is to be unique is answered with the first message. */
export async function createMessage(discord: Discord, call: Call): Promise<Answer> {
  const channel = channelOf(discord, call)
  const input = await readMessage(discord, call)
  requireText(channel)
  const known = input.isUnique ? discord.state.byNonce.get(input.nonce ?? '') : undefined
  if (known && discord.now() - known.at < LIMITS.nonceSeconds * 1000)
    return jsonAnswer(200, messageView(discord, known, true))
  refuseOnCommand(input)
  const message = post(discord, channel, input, null)
  return { ...jsonAnswer(200, messageView(discord, message, true)), applied: message.id }
}

/** `POST /webhooks/:webhookId/:webhookToken`. Without `wait=true` it says nothing of the message, and it knows no nonce. */
export async function executeWebhook(discord: Discord, call: Call): Promise<Answer> {
  const webhook = webhookOf(discord, call)
  const input = await readMessage(discord, call)
  const channel = discord.state.channels.get(webhook.channelId)
  if (!channel) refuse(404, 10003, 'Unknown Channel')
  refuseOnCommand(input)
  const message = post(discord, channel, { ...input, nonce: null }, webhook.id)
  const answer =
    call.query.get('wait') === 'true'
      ? jsonAnswer(200, messageView(discord, message))
      : { status: 204, headers: {}, body: '' }
  return { ...answer, applied: message.id }
}

function post(
  discord: Discord,
  { id: channelId, guildId }: Channel,
  { content, flags, nonce, attachments }: MessageInput,
  webhookId: string | null,
): Message {
  const last = attachments.at(-1)?.id
  const id = last === undefined ? discord.newId() : String(BigInt(last) + 1n)
  const at = discord.now()
  const message = { id, channelId, guildId, webhookId, content, flags, nonce, attachments, at }
  discord.record({ type: 'message-posted', message })
  return message
}

function requireText({ type }: Channel): void {
  if (type === 4) refuse(400, 50008, 'Cannot send messages in a non-text channel')
}

/** Refusals that depend on what a guild has set, made by what stands in the text. */
function refuseOnCommand({ content }: MessageInput): void {
  const answer = ON_COMMAND[/#sandbox-fail:(\w+)/.exec(content)?.[1] ?? '']
  if (answer) throw new Refusal(answer)
}

const ON_COMMAND: Record<string, Answer | undefined> = {
  automod: errorAnswer(400, 200000, 'Message was blocked by automatic moderation'),
  harmful_link: errorAnswer(400, 240000, 'Message contains a harmful link'),
  permissions: errorAnswer(403, 50013, 'Missing Permissions'),
  slowmode: jsonAnswer(
    429,
    {
      message: 'This action cannot be performed due to slowmode rate limit',
      retry_after: 5,
      code: 20016,
      global: false,
    },
    { 'retry-after': '5' },
  ),
}
