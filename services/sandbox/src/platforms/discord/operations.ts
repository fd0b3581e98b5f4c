import type { Answer, Call } from '../../call.ts'
import type { Operation } from '../../stand-in.ts'
import {
  createWebhook,
  deleteWebhook,
  listChannels,
  listMessages,
  showChannel,
  showGuild,
  showMe,
  showMessage,
  showWebhook,
} from './channels.ts'
import { createMessage, executeWebhook } from './create-message.ts'
import { LIMITS } from './limits.ts'
import { nonceOf } from './nonce.ts'
import { oauthOperations } from './oauth.ts'
import { showAttachment, showMessagePage } from './pages.ts'
import type { Discord } from './server.ts'

type Handle = (discord: Discord, call: Call) => Answer | Promise<Answer>

/** Every endpoint that the sandbox has of Discord. Webhook addresses are without a version, and work with one too. */
export function discordOperations(discord: Discord): Operation[] {
  const operation = (
    method: Operation['method'],
    path: string,
    kind: Operation['kind'],
    handle: Handle,
    more: Partial<Operation> = {},
  ): Operation => ({
    method,
    path,
    kind,
    handle: (call) => handle(discord, call),
    accountOf: ({ params }) => params['webhookId'] ?? params['channelId'],
    ...more,
  })
  const api = (path: string) => `/api/v10${path}`
  const message = { maxBytes: LIMITS.requestBytes }
  const webhooks = ['/api', '/api/v10'].flatMap((base) => {
    const path = `${base}/webhooks/:webhookId/:webhookToken`
    return [
      operation('get', path, 'read', showWebhook),
      operation('delete', path, 'read', deleteWebhook),
      operation('post', path, 'commit', executeWebhook, message),
    ]
  })
  return [
    ...oauthOperations(discord),
    operation('get', api('/users/@me'), 'read', showMe),
    operation('get', api('/guilds/:guildId'), 'read', showGuild),
    operation('get', api('/guilds/:guildId/channels'), 'read', listChannels),
    operation('get', api('/channels/:channelId'), 'read', showChannel),
    operation('get', api('/channels/:channelId/messages'), 'read', listMessages),
    operation('get', api('/channels/:channelId/messages/:messageId'), 'read', showMessage),
    operation('post', api('/channels/:channelId/webhooks'), 'read', createWebhook),
    operation('post', api('/channels/:channelId/messages'), 'commit', createMessage, {
      ...message,
      keyOf: nonceOf,
    }),
    ...webhooks,
    operation('get', '/channels/:guildId/:channelId/:messageId', 'page', showMessagePage),
    operation('get', '/attachments/:channelId/:attachmentId/:fileName', 'page', showAttachment),
  ]
}
