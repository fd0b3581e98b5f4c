import type { Answer, Call } from '../../call.ts'
import { readForm } from '../../read-form.ts'
import type { Operation } from '../../stand-in.ts'
import { getChat, getChatMember, getMe } from './chats.ts'
import { LIMITS } from './limits.ts'
import { showFile, showMessagePage } from './pages.ts'
import { sendFile, sendMediaGroup, sendMessage } from './send.ts'
import { findChat, type Telegram } from './server.ts'

type Handle = (telegram: Telegram, call: Call) => Answer | Promise<Answer>

/** Every method that the sandbox has of the Bot API; each can be called by GET and POST. */
export function telegramOperations(telegram: Telegram): Operation[] {
  const method = (name: string, kind: Operation['kind'], handle: Handle): Operation[] =>
    (['get', 'post'] as const).map((verb) => ({
      method: verb,
      path: `/bot:token/${name}`,
      kind,
      maxBytes: LIMITS.requestBytes,
      accountOf: (call) => accountOf(telegram, call),
      handle: (call) => handle(telegram, call),
    }))
  const page = (path: string, handle: Handle): Operation => ({
    method: 'get',
    path,
    kind: 'page',
    handle: (call) => handle(telegram, call),
  })
  return [
    ...method('getMe', 'read', getMe),
    ...method('getChat', 'read', getChat),
    ...method('getChatMember', 'read', getChatMember),
    ...method('sendMessage', 'commit', sendMessage),
    ...method('sendPhoto', 'commit', sendFile('photo')),
    ...method('sendVideo', 'commit', sendFile('video')),
    ...method('sendAnimation', 'commit', sendFile('animation')),
    ...method('sendDocument', 'commit', sendFile('document')),
    ...method('sendMediaGroup', 'commit', sendMediaGroup),
    page('/t.me/c/:chat/:id', showMessagePage),
    page('/t.me/:username/:id', showMessagePage),
    page('/files/:fileId', showFile),
  ]
}

/** The chat that a call is about. */
async function accountOf({ state }: Telegram, call: Call): Promise<string | undefined> {
  const name = (await readForm(call))?.fields['chat_id']
  const chat = name === undefined ? undefined : findChat(state, name)
  return chat && String(chat.id)
}
