import { z } from 'zod'
import { clockAhead } from '../clock-ahead.ts'
import { type HttpResponse, request } from '../http.ts'
import type { LookUpInput, LookUpOutcome } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { reason } from '../refusal.ts'
import { apiAddress } from './api.ts'
import { fileMark, liveOf, Message, nonceOf } from './message.ts'
import { type Route, routeOf } from './route.ts'

const TIMEOUT_MS = 10_000
const LIMIT = 100
/** How far apart Herald's and Discord's clocks may still be after allowing for what Discord says it is. */
const CLOCK_TOLERANCE_MS = 5_000

const User = z.object({ id: z.string() })

/**
 * Looks for the message among the latest of the channel that the bot wrote since the call: by its nonce or the names of
 * its files, else by its text. A list that does not reach back to the call leaves it open. A webhook cannot read.
 */
export async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const route = routeOf(input)
  if (route.kind === 'webhook')
    return { cannotTell: 'A webhook cannot see what was posted. Look at the Discord channel.' }
  const me = await get(input, route, '/users/@me')
  if ('cannotTell' in me) return me
  const history = await get(input, route, `${route.messages}?limit=${LIMIT}`)
  if ('cannotTell' in history) return history
  const user = readJson(User, me.text)
  const messages = readJson(z.array(Message), history.text)
  if (!user || !messages) return { cannotTell: 'The answer of Discord is not readable.' }
  const since = Date.parse(input.calledAt) + clockAhead(history.headers) - CLOCK_TOLERANCE_MS
  const recent = messages.filter(({ timestamp }) => Date.parse(timestamp) >= since)
  const isCutOff = messages.length >= LIMIT && recent.length === messages.length
  return findIn(
    recent.filter(({ author }) => author.id === user.id),
    isCutOff,
    input,
  )
}

function findIn(messages: Message[], isCutOff: boolean, input: LookUpInput): LookUpOutcome {
  const marked = messages.find((message) => isOurs(message, input))
  if (marked) return { found: liveOf(marked, input) }
  const text = sameForm(input.text)
  // Files are known by their names alone, so a message with files that are not ours is another one.
  const alike = messages.filter(
    ({ content, nonce, attachments }) =>
      !nonce && input.media.length === 0 && attachments.length === 0 && sameForm(content) === text,
  )
  const [match, ...others] = alike
  if (match && others.length === 0) return { found: liveOf(match, input) }
  if (match) return { cannotTell: 'The Discord channel has several messages with this text.' }
  if (isCutOff) return { cannotTell: 'The Discord channel has had many messages since.' }
  return { absent: true }
}

function isOurs({ nonce, attachments }: Message, input: LookUpInput): boolean {
  return (
    nonce === nonceOf(input) ||
    attachments.some(({ filename }) => filename.includes(fileMark(input)))
  )
}

/** White space at the ends is not kept, and characters that show nothing may not be. */
function sameForm(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{White_Space}\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
}

async function get(
  input: LookUpInput,
  { headers }: Route,
  path: string,
): Promise<HttpResponse | { cannotTell: string }> {
  const result = await request({
    method: 'GET',
    url: apiAddress(input, path),
    headers,
    timeoutMs: TIMEOUT_MS,
    signal: input.signal,
    // A hundred messages of 2000 characters with their embeds.
    maxBytes: 4_000_000,
  })
  if (result.kind !== 'response')
    return { cannotTell: `Discord did not answer (${reason(result.error)}).` }
  return result.status === 200
    ? result
    : { cannotTell: `Discord answered with status ${result.status}.` }
}
