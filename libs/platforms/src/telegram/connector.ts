import { TelegramOptions } from '@herald/contracts/options/telegram'
import { z } from 'zod'
import { commitWithFiles, textBody, timeToSend } from '../commit-files.ts'
import { withFiles } from '../file-upload.ts'
import { multipart } from '../multipart.ts'
import { readOptions } from '../options.ts'
import type {
  CommitOutcome,
  Connector,
  Prepared,
  PrepareInput,
  PrepareResult,
  PublishInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOf } from '../refusal.ts'
import { methodAddress } from './api.ts'
import { TELEGRAM_ERRORS } from './errors.ts'
import { freshToken, identify } from './identify.ts'
import { TOTAL } from './limits.ts'
import { itemsOf, liveOf, Message, type Sending, sendingOf } from './message.ts'

/**
 * Telegram, by a bot. It has no OAuth: a bot is made in the app, and added to a channel or group. The files of a post
 * travel in the call that posts it. A bot cannot read what it posted, so nothing settles an unknown outcome.
 */
export const telegramConnector: Connector = {
  settles: 'none',
  identify,
  freshToken,
  prepare,
  commit,
  commitTimeMs: (media) => timeToSend(media, TOTAL),
  lookUp: async () => ({
    cannotTell: 'Telegram shows a bot nothing that was posted. Look at the chat.',
  }),
}

/** Makes the pictures, so that the call has only to send them. */
async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readOptions(TelegramOptions, input)
  if (read.outcome !== 'read') return read
  if (input.step) return { outcome: 'ready', step: input.step }
  return await withFiles<PrepareResult>(async () => {
    await itemsOf(input)
    return { outcome: 'ready', step: {} }
  })
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const read = readOptions(TelegramOptions, input)
  if (read.outcome !== 'read') return read
  return await withFiles<CommitOutcome>(async () => {
    const sending = sendingOf(input, read.options, await itemsOf(input))
    const { contentType, body } = bodyOf(sending)
    const sent = await commitWithFiles(
      {
        method: 'POST',
        url: methodAddress(input, input.token, sending.method),
        headers: { 'content-type': contentType },
        body,
        signal: input.signal,
      },
      'Telegram',
    )
    if (sent.outcome !== 'answered') return sent
    const { response } = sent
    if (response.status < 200 || response.status > 299)
      return meaningOf(response, TELEGRAM_ERRORS, Date.now())
    const message = readMessage(response.text)
    return message
      ? { outcome: 'published', ...liveOf(message, input) }
      : { outcome: 'unknown', message: 'Telegram took the post, but its answer is not readable.' }
  })
}

/** Of an album the first message, which has the text. */
function readMessage(text: string): Message | undefined {
  const result = z.union([Message, z.tuple([Message], Message)])
  const answer = readJson(z.object({ ok: z.literal(true), result }), text)?.result
  return Array.isArray(answer) ? answer[0] : answer
}

/** In a form what is neither text nor number is JSON. */
function bodyOf({ fields, files }: Sending) {
  if (files.length === 0)
    return { contentType: 'application/json', body: textBody(JSON.stringify(fields)) }
  const texts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return multipart(Object.fromEntries(texts), ...files)
}
