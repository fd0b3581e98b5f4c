import { z } from 'zod'
import { type Answer, type Call } from '../../call.ts'
import type { Form } from '../../read-form.ts'
import { LIMITS } from './limits.ts'
import { readFile } from './read-file.ts'
import { readText } from './read-text.ts'
import { forbid, refuse } from './refusals.ts'
import { botOf, chatOf, formOf, requireMember, success, type Telegram } from './server.ts'
import type { Bot, Chat, Message, SentFile } from './state.ts'
import { messageView } from './views.ts'

type Asked = { bot: Bot; chat: Chat; form: Form }
type Content = Pick<Message, 'text' | 'entities' | 'file'>

const CAPTION_TOO_LONG = 'message caption is too long'

/** `sendMessage` */
export async function sendMessage(telegram: Telegram, call: Call): Promise<Answer> {
  const asked = await readAsked(telegram, call)
  const { text, parse_mode: mode } = asked.form.fields
  const parsed = readText(text, mode, LIMITS.characters, 'message is too long')
  if (parsed.text === '') refuse('message text is empty')
  const [message] = post(telegram, asked, [{ ...parsed, file: null }])
  return answer(message, message && messageView(telegram, message))
}

/** `sendPhoto`, `sendVideo`, `sendAnimation`, `sendDocument` */
export function sendFile(kind: SentFile['kind']) {
  return async (telegram: Telegram, call: Call): Promise<Answer> => {
    const asked = await readAsked(telegram, call)
    const { caption, parse_mode: mode } = asked.form.fields
    const parsed = readText(caption, mode, LIMITS.captionCharacters, CAPTION_TOO_LONG)
    const file = await readFile(telegram, asked.form, kind)
    const [message] = post(telegram, asked, [{ ...parsed, file }])
    return answer(message, message && messageView(telegram, message))
  }
}

const Media = z.array(
  z.object({
    type: z.string(),
    media: z.string().min(1),
    caption: z.string().optional(),
    parse_mode: z.string().optional(),
  }),
)
const ALBUM_KINDS = ['photo', 'video', 'document'] as const

/** `sendMediaGroup`: an album of photos and videos, or of documents. */
export async function sendMediaGroup(telegram: Telegram, call: Call): Promise<Answer> {
  const asked = await readAsked(telegram, call)
  const media = readMedia(asked.form.fields['media'])
  if (media.length < 2 || media.length > LIMITS.albumFiles)
    refuse(`the number of media must be between 2 and ${LIMITS.albumFiles}`)
  if (new Set(media.map(({ type }) => type === 'document')).size > 1)
    refuse("document can't be mixed with other media types")
  const contents: Content[] = []
  for (const item of media) {
    const kind = ALBUM_KINDS.find((one) => one === item.type)
    if (!kind) return refuse(`type "${item.type}" can't be used in an album`)
    const parsed = readText(
      item.caption,
      item.parse_mode,
      LIMITS.captionCharacters,
      CAPTION_TOO_LONG,
    )
    contents.push({ ...parsed, file: await readFile(telegram, asked.form, kind, item.media) })
  }
  const messages = post(telegram, asked, contents)
  return answer(
    messages[0],
    messages.map((message) => messageView(telegram, message)),
  )
}

async function readAsked(telegram: Telegram, call: Call): Promise<Asked> {
  const bot = botOf(telegram, call)
  const form = await formOf(call)
  const chat = chatOf(telegram, bot, form.fields['chat_id'])
  requireMember(bot, chat)
  return { bot, chat, form }
}

/** A list, or in a form the JSON of one. */
function readMedia(given: unknown): z.infer<typeof Media> {
  return Media.safeParse(readJson(given)).data ?? refuse("can't parse media JSON object")
}

/** In a form lists and objects are JSON. */
function readJson(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return undefined
  }
}

/** Makes the messages live, unless the text asks for a refusal that depends on the chat. */
function post(telegram: Telegram, { bot, chat, form }: Asked, contents: Content[]): Message[] {
  refuseOnCommand(telegram, bot, chat, contents[0]?.text ?? '')
  const first = (telegram.state.messages.at(-1)?.id ?? 0) + 1
  const messages = contents.map((content, index) => ({
    ...content,
    id: first + index,
    chatId: chat.id,
    botId: bot.id,
    album: contents.length > 1 ? `album${first}` : null,
    isProtected: isTrue(form.fields['protect_content']),
    isSilent: isTrue(form.fields['disable_notification']),
    hasPreview: hasPreview(form.fields['link_preview_options']),
    date: Math.floor(telegram.now() / 1000),
  }))
  telegram.record({ type: 'messages-sent', messages })
  return messages
}

/** What happens to chats and bots outside the Bot API, made by what stands in the text. */
function refuseOnCommand(telegram: Telegram, bot: Bot, chat: Chat, text: string): void {
  const command = /#sandbox-fail:(\w+)/.exec(text)?.[1]
  if (command === 'rights') refuse('need administrator rights in the channel chat')
  if (command === 'kicked') {
    telegram.record({ type: 'bot-removed', token: bot.token })
    forbid(`bot was kicked from the ${chat.type} chat`)
  }
  if (command === 'migrate' && chat.type === 'group') {
    const to = -1_000_000_000_000 + chat.id
    telegram.record({ type: 'group-moved', from: chat.id, to })
    refuse('group chat was upgraded to a supergroup chat', { migrate_to_chat_id: to })
  }
}

function answer(first: Message | undefined, result: unknown): Answer {
  return { ...success(result), ...(first && { applied: String(first.id) }) }
}

function isTrue(given: unknown): boolean {
  return given === true || given === 'true' || given === '1'
}

const Preview = z.object({ is_disabled: z.boolean().optional() })

function hasPreview(given: unknown): boolean {
  return !Preview.safeParse(readJson(given)).data?.is_disabled
}
