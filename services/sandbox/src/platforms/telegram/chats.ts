import type { Answer, Call } from '../../call.ts'
import { refuse } from './refusals.ts'
import { botOf, chatOf, formOf, requireMember, success, type Telegram } from './server.ts'
import { botView, chatView } from './views.ts'

/** `getMe` */
export function getMe(telegram: Telegram, call: Call): Answer {
  return success({
    ...botView(botOf(telegram, call)),
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
  })
}

/** `getChat`: what has a name can be seen by every bot. */
export async function getChat(telegram: Telegram, call: Call): Promise<Answer> {
  const bot = botOf(telegram, call)
  const chat = chatOf(telegram, bot, (await formOf(call)).fields['chat_id'])
  if (chat.username === null || chat.movedTo !== undefined) requireMember(bot, chat)
  return success({
    ...chatView(chat),
    accent_color_id: 0,
    max_reaction_count: 11,
    accepted_gift_types: {},
  })
}

/** `getChatMember`: of a bot itself. Others are not known here. */
export async function getChatMember(telegram: Telegram, call: Call): Promise<Answer> {
  const bot = botOf(telegram, call)
  const { fields } = await formOf(call)
  const chat = chatOf(telegram, bot, fields['chat_id'])
  if (String(fields['user_id']) !== String(bot.id)) refuse('user not found')
  const user = botView(bot)
  if (bot.isRemoved) return success({ user, status: 'kicked', until_date: 0 })
  if (bot.chatId !== chat.id && chat.type === 'channel') refuse('member list is inaccessible')
  requireMember(bot, chat)
  if (chat.type === 'channel')
    return success({
      user,
      status: 'administrator',
      can_be_edited: false,
      is_anonymous: false,
      can_manage_chat: true,
      can_post_messages: true,
      can_edit_messages: true,
      can_delete_messages: true,
    })
  return success({ user, status: 'member' })
}
