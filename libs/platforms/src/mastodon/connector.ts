import { MastodonOptions } from '@herald/contracts/posts'
import type { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { request } from '../http.ts'
import { readOptions, refuseMedia } from '../options.ts'
import type { CommitOutcome, Connector, PublishInput } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOf, meaningOfSilence } from '../refusal.ts'
import { MASTODON_ERRORS } from './errors.ts'
import { freshToken, identify } from './identify.ts'
import { lookUp } from './look-up.ts'
import { liveOf, Status } from './status.ts'

const TIMEOUT_MS = 30_000

/**
 * Mastodon and what speaks its API. The instance knows a repeated call by the `Idempotency-Key` for an hour; an
 * unknown outcome is settled by looking through the account's latest posts.
 */
export const mastodonConnector: Connector = {
  settles: 'key',
  identify,
  freshToken,
  prepare: async (input) => {
    const refusal = refuseMedia(input, 'Mastodon')
    if (refusal) return refusal
    const read = readOptions(MastodonOptions, input)
    return read.outcome === 'read' ? { outcome: 'ready', step: {} } : read
  },
  commit,
  lookUp,
}

async function commit(input: PublishInput): Promise<CommitOutcome> {
  const read = readOptions(MastodonOptions, input)
  if (read.outcome !== 'read') return read
  const result = await request({
    method: 'POST',
    url: addressOf(input.baseUrl, '/api/v1/statuses'),
    headers: {
      authorization: `Bearer ${input.token}`,
      'content-type': 'application/json',
      'idempotency-key': input.idempotencyKey,
    },
    body: JSON.stringify(bodyOf(input.text, read.options)),
    timeoutMs: TIMEOUT_MS,
    signal: input.signal,
  })
  if (result.kind !== 'response') return meaningOfSilence(result, 'Mastodon')
  if (result.status < 200 || result.status > 299)
    return meaningOf(result, MASTODON_ERRORS, Date.now())
  const status = readJson(Status, result.text)
  return status
    ? { outcome: 'published', ...liveOf(status, input) }
    : { outcome: 'unknown', message: 'Mastodon took the post, but its answer is not readable.' }
}

function bodyOf(text: string, options: z.infer<typeof MastodonOptions>): Record<string, unknown> {
  const { visibility, sensitive, spoilerText, language } = options
  return { status: text, visibility, sensitive, spoiler_text: spoilerText, language }
}
