import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { ErrorTable, Meaning } from '../refusal.ts'

const DiscordError = z.object({
  code: z.number().nullish(),
  message: z.string().nullish(),
  errors: z.unknown().optional(),
  /** In seconds, of a rate limit. */
  retry_after: z.number().nonnegative().nullish().catch(null),
})

/** The code of a refusal by what stands before Discord. */
const NOT_ITS_OWN = 'none'

const gone = (message: string): Meaning => ({ outcome: 'reauth', message })
const never = (errorCode: string, message: string): Meaning => ({
  outcome: 'permanent',
  errorCode,
  message,
})
const blocked = never(
  'content_blocked',
  'The Discord server blocked the message by its moderation rules. Change the text.',
)
const later = (message: string): Meaning => ({ outcome: 'rate_limited', message })

/** What Discord's refusals mean. Rows are looked at from the top; the rest is decided by the status. */
export const DISCORD_ERRORS: ErrorTable = {
  name: 'Discord',
  read: (text) => {
    const body = readJson(DiscordError, text)
    if (!body) return { code: NOT_ITS_OWN, message: 'an answer that is not JSON' }
    const details = detailsOf(body.errors)
    const message = [body.message ?? '', ...details].filter(Boolean).join('; ')
    return { code: String(body.code ?? ''), message, retryAfter: body.retry_after ?? undefined }
  },
  rows: [
    { code: '50027', means: gone('The Discord webhook does not work any more. Connect it again.') },
    { code: '10015', means: gone('The Discord webhook was deleted. Connect another one.') },
    {
      status: 401,
      means: gone('Discord does not accept the token of the bot. Connect the channel again.'),
    },
    { code: '10003', means: gone('The Discord channel does not exist any more.') },
    { code: '10004', means: gone('The bot is not on the Discord server any more. Add it again.') },
    {
      code: '50001',
      means: gone('The bot cannot see the Discord channel. Add it to the server or channel again.'),
    },
    {
      code: '50013',
      means: never(
        'missing_permission',
        'The bot may not do this in the Discord channel. It needs the permissions to send messages and attach files.',
      ),
    },
    { code: '200000', means: blocked },
    { code: '200001', means: blocked },
    { code: '240000', means: blocked },
    {
      code: '50035',
      says: /content: .*MAX_LENGTH/,
      means: never('text_too_long', 'The text is longer than Discord allows. Shorten it.'),
    },
    {
      code: '50035',
      says: /description: .*MAX_LENGTH/,
      means: never('alt_text_too_long', 'An alt text is longer than Discord allows. Shorten it.'),
    },
    {
      code: '50006',
      means: never('text_empty', 'Discord refuses a message without text or a file.'),
    },
    { code: '40005', means: tooLarge() },
    { code: '50045', means: tooLarge() },
    { status: 413, means: tooLarge() },
    { code: '20016', means: later('The Discord channel is in slow mode.') },
    { code: '20028', means: later('The Discord channel takes no more messages for now.') },
    {
      status: 403,
      code: NOT_ITS_OWN,
      means: later('Discord takes no calls from this address for now.'),
    },
    { status: 429, means: later('Discord takes no more messages for now.') },
  ],
}

function tooLarge(): Meaning {
  return never('too_large', 'The files of the post are larger than Discord allows here.')
}

/** Which fields are wrong, from the nested form of an invalid body: `content: BASE_TYPE_MAX_LENGTH Must be …`. */
function detailsOf(errors: unknown, path: string[] = []): string[] {
  if (typeof errors !== 'object' || errors === null || path.length > 8) return []
  return Object.entries(errors)
    .slice(0, 20)
    .flatMap(([name, value]) => {
      if (name !== '_errors') return detailsOf(value, [...path, name])
      const problems = Problems.safeParse(value).data ?? []
      return problems.map(({ code, message }) => `${path.join('.')}: ${code} ${message}`)
    })
}

const Problems = z.array(z.object({ code: z.string(), message: z.string() }))
