import type { Answer, Call } from '../../call.ts'
import { html, lines, pageAnswer } from '../../html.ts'
import { errorAnswer } from './refusals.ts'
import type { Telegram } from './server.ts'
import { fileUrl } from './views.ts'

/** `GET /t.me/:username/:id` and `/t.me/c/:chat/:id`: a message, or the album that begins with it, as people see it. */
export function showMessagePage(telegram: Telegram, { params }: Call): Answer {
  const { chats, messages } = telegram.state
  const { username, chat: number } = params
  const chat = [...chats.values()].find((one) =>
    username === undefined
      ? one.username === null && String(one.id).replace(/^-(100)?/, '') === number
      : one.username === username,
  )
  const message = messages.find(
    ({ id, chatId }) => String(id) === params['id'] && chatId === chat?.id,
  )
  if (!message || !chat) return pageAnswer(404, 'Not found', html`<h1>There is nothing here</h1>`)
  const shown = messages.filter(
    (one) => one === message || (message.album !== null && one.album === message.album),
  )
  const files = shown.flatMap(({ file }) => {
    if (!file) return []
    const url = fileUrl(telegram, file)
    if (file.mimeType.startsWith('image/')) return [html`<img src="${url}" alt="" />`]
    return file.kind === 'document'
      ? [html`<p><a href="${url}">${file.fileName}</a></p>`]
      : [html`<video controls src="${url}"></video>`]
  })
  const at = new Date(message.date * 1000).toISOString()
  return pageAnswer(
    200,
    chat.title,
    html`<article>
      <p class="dim">${chat.title}</p>
      ${files}
      <p>${lines(message.text)}</p>
      <p class="dim"><time datetime="${at}">${at}</time></p>
    </article>`,
  )
}

/** `GET /files/:fileId` */
export function showFile({ state, files }: Telegram, { params }: Call): Answer {
  const file = state.messages.find((one) => one.file?.fileId === params['fileId'])?.file
  const bytes = file && files.get(file.sha256)
  if (!bytes) return errorAnswer(404, 'Not Found')
  return {
    status: 200,
    headers: { 'content-type': file.mimeType, 'x-content-type-options': 'nosniff' },
    body: bytes,
  }
}
