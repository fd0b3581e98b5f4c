import type { Telegram } from './server.ts'
import type { Bot, Chat, Message, SentFile } from './state.ts'

export function botView({ id, username }: Bot) {
  return { id, is_bot: true, first_name: username, username }
}

export function chatView({ id, type, title, username }: Chat) {
  return { id, title, type, ...(username !== null && { username }) }
}

export function messageView({ state }: Telegram, message: Message) {
  const { id, chatId, botId, date, text, entities, file, album } = message
  const chat = state.chats.get(chatId)
  const bot = [...state.bots.values()].find((one) => one.id === botId)
  const shown = chat ? chatView(chat) : { id: chatId, type: 'channel' }
  const from = chat?.type === 'channel' || !bot ? { sender_chat: shown } : { from: botView(bot) }
  const formatted = entities.length > 0
  return {
    message_id: id,
    ...from,
    chat: shown,
    date,
    ...(album !== null && { media_group_id: album }),
    ...(message.isProtected && { has_protected_content: true }),
    ...(file === null && {
      text,
      ...(formatted && { entities }),
      ...(!message.hasPreview && { link_preview_options: { is_disabled: true } }),
    }),
    ...(file && fileView(file)),
    ...(file && text !== '' && { caption: text, ...(formatted && { caption_entities: entities }) }),
  }
}

/** A photo is there in several sizes, an animation as a document too. */
function fileView(file: SentFile) {
  const { kind, fileId, fileName, mimeType, sizeBytes, sha256, width, height } = file
  const id = { file_id: fileId, file_unique_id: sha256.slice(0, 16), file_size: sizeBytes }
  const size = { width: width ?? 0, height: height ?? 0 }
  const named = { ...id, file_name: fileName, mime_type: mimeType }
  switch (kind) {
    case 'photo':
      return { photo: [{ ...id, ...size }] }
    case 'video':
      return { video: { ...named, ...size, duration: 0 } }
    case 'animation':
      return { animation: { ...named, ...size, duration: 0 }, document: named }
    case 'document':
      return { document: named }
  }
}

/** Where people see a message: by the name of its chat, or among its members. */
export function messageUrl({ baseUrl, state }: Telegram, { chatId, id }: Message): string {
  const username = state.chats.get(chatId)?.username
  return `${baseUrl()}/t.me/${username ?? `c/${String(chatId).replace(/^-(100)?/, '')}`}/${id}`
}

export function fileUrl({ baseUrl }: Telegram, { fileId }: SentFile): string {
  return `${baseUrl()}/files/${fileId}`
}
