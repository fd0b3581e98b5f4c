import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { ErrorTable, Meaning } from '../refusal.ts'

const TelegramError = z.object({
  ok: z.literal(false),
  description: z.string().default(''),
  parameters: z
    .object({
      retry_after: z.number().nonnegative().optional().catch(undefined),
      migrate_to_chat_id: z.number().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
})

const never = (errorCode: string, message: string): Meaning => ({
  outcome: 'permanent',
  errorCode,
  message,
})
const gone = (message: string): Meaning => ({ outcome: 'reauth', message })

const unfit = never('media_unfit', 'Telegram cannot use a file of the post.')
const mayNot = never(
  'missing_permission',
  'The bot may not post this in the Telegram chat. Make it an administrator that may post messages.',
)

/** What a refusal in the Bot API's own form has as its code; anything else comes from what stands before it. */
export const ITS_OWN = 'bot-api'
const MOVED = 'moved'

/** What Telegram's refusals mean. They have a sentence and no code. Rows are looked at from the top. */
export const TELEGRAM_ERRORS: ErrorTable = {
  name: 'Telegram',
  read: (text) => {
    const body = readJson(TelegramError, text)
    if (!body) return { message: 'an answer that is not JSON' }
    const { retry_after: retryAfter, migrate_to_chat_id: chat } = body.parameters ?? {}
    return { code: chat === undefined ? ITS_OWN : MOVED, message: body.description, retryAfter }
  },
  rows: [
    {
      code: MOVED,
      means: gone(
        'The Telegram group became a supergroup, which is another chat. Connect that one.',
      ),
    },
    { status: 401, means: gone('Telegram does not accept the token of the bot any more.') },
    {
      status: 404,
      code: ITS_OWN,
      means: gone('Telegram does not know the bot. Connect the channel again.'),
    },
    {
      says: /need administrator rights|not enough rights|no (rights|write access)|CHAT_(WRITE|RESTRICTED|SEND_\w+)_?/i,
      means: mayNot,
    },
    {
      status: 403,
      code: ITS_OWN,
      means: gone('The bot is not in the Telegram chat any more. Add it and connect it again.'),
    },
    {
      status: 400,
      says: /chat not found|PEER_ID_INVALID/i,
      means: gone('The Telegram chat is not there, or the bot is not in it. Connect it again.'),
    },
    {
      status: 400,
      says: /(message|caption) is too long|MEDIA_CAPTION_TOO_LONG/i,
      means: never('text_too_long', 'The text is longer than Telegram allows. Shorten it.'),
    },
    {
      status: 400,
      says: /can't parse entities/i,
      means: never(
        'invalid_markup',
        'Telegram cannot read how the text is formatted. Correct it, or send it as plain text.',
      ),
    },
    {
      status: 400,
      says: /text is empty|text must be non-empty/i,
      means: never('text_empty', 'Telegram refuses a message without a text or a file.'),
    },
    {
      status: 400,
      says: /PHOTO_|IMAGE_|VIDEO_|MEDIA_|FILE_|file of size|file is too big|file must be non-empty|wrong (file|type)/i,
      means: unfit,
    },
    {
      status: 413,
      means: never('too_large', 'The files of the post are larger than Telegram allows.'),
    },
    {
      status: 429,
      means: { outcome: 'rate_limited', message: 'Telegram takes no more messages for now.' },
    },
  ],
}
