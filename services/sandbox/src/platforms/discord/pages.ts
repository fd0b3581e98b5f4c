import type { Answer, Call } from '../../call.ts'
import { html, lines, pageAnswer } from '../../html.ts'
import { errorAnswer } from './refusals.ts'
import { BOT, type Discord } from './server.ts'
import { attachmentUrl } from './views.ts'

/** `GET /channels/:guildId/:channelId/:messageId`: the message as people read it. */
export function showMessagePage(discord: Discord, { params }: Call): Answer {
  const message = discord.state.messages.get(params['messageId'] ?? '')
  const channel = discord.state.channels.get(params['channelId'] ?? '')
  const isThere = message?.channelId === channel?.id && message?.guildId === params['guildId']
  if (!message || !channel || !isThere)
    return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
  const author = discord.state.webhooks.get(message.webhookId ?? '')?.name ?? BOT.username
  const files = message.attachments.map((attachment) => {
    const url = attachmentUrl(discord, message, attachment)
    const alt = attachment.description ?? ''
    if (attachment.mimeType.startsWith('image/')) return html`<img src="${url}" alt="${alt}" />`
    return attachment.mimeType.startsWith('video/')
      ? html`<video controls src="${url}" title="${alt}"></video>`
      : html`<p><a href="${url}">${attachment.fileName}</a></p>`
  })
  const at = new Date(message.at).toISOString()
  return pageAnswer(
    200,
    `#${channel.name}`,
    html`<article>
      <p class="dim">#${channel.name}</p>
      <p><b>${author}</b></p>
      <p>${lines(message.content)}</p>
      ${files}
      <p class="dim"><time datetime="${at}">${at}</time></p>
    </article>`,
  )
}

/** `GET /attachments/:channelId/:attachmentId/:fileName` */
export function showAttachment(discord: Discord, { params }: Call): Answer {
  const attachment = [...discord.state.messages.values()]
    .filter(({ channelId }) => channelId === params['channelId'])
    .flatMap(({ attachments }) => attachments)
    .find(({ id }) => id === params['attachmentId'])
  const bytes = attachment && discord.files.get(attachment.sha256)
  if (!bytes) return errorAnswer(404, 0, '404: Not Found')
  return {
    status: 200,
    headers: { 'content-type': attachment.mimeType, 'x-content-type-options': 'nosniff' },
    body: bytes,
  }
}
