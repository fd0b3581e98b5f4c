import { DiscordOptions } from '@herald/contracts/options/discord'
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
import { apiAddress } from './api.ts'
import { DISCORD_ERRORS } from './errors.ts'
import { freshToken, identify } from './identify.ts'
import { TOTAL } from './limits.ts'
import { lookUp } from './look-up.ts'
import { bodyOf, filesOf, liveOf, Message } from './message.ts'
import { discordOAuth } from './oauth.ts'
import { routeOf } from './route.ts'

/**
 * Discord, by a bot or a webhook. The files of a message travel in the call that posts it. A bot's repeated call is known
 * by its nonce for some minutes, and its channel can be read; of a webhook's call nothing can be found out.
 */
export const discordConnector: Connector = {
  settles: 'key',
  identify,
  freshToken,
  prepare,
  commit,
  commitTimeMs: (media) => timeToSend(media, TOTAL),
  lookUp,
  oauth: discordOAuth,
}

/** Makes the pictures, so that the call has only to send them. */
async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readOptions(DiscordOptions, input)
  if (read.outcome !== 'read') return read
  if (input.step) return { outcome: 'ready', step: input.step }
  return await withFiles<PrepareResult>(async () => {
    await filesOf(input)
    return { outcome: 'ready', step: {} }
  })
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const read = readOptions(DiscordOptions, input)
  if (read.outcome !== 'read') return read
  const { kind, messages, headers } = routeOf(input)
  return await withFiles<CommitOutcome>(async () => {
    const files = await filesOf(input)
    const json = JSON.stringify(bodyOf(input, read.options, files, kind === 'bot'))
    const { contentType, body } =
      files.length === 0
        ? { contentType: 'application/json', body: textBody(json) }
        : multipart({ payload_json: json }, ...files)
    const sent = await commitWithFiles(
      {
        method: 'POST',
        url: apiAddress(input, messages),
        headers: { ...headers, 'content-type': contentType },
        body,
        signal: input.signal,
      },
      'Discord',
    )
    if (sent.outcome !== 'answered') return sent
    const { response } = sent
    if (response.status < 200 || response.status > 299)
      return meaningOf(response, DISCORD_ERRORS, Date.now())
    const message = readJson(Message, response.text)
    return message
      ? { outcome: 'published', ...liveOf(message, input) }
      : { outcome: 'unknown', message: 'Discord took the post, but its answer is not readable.' }
  })
}
