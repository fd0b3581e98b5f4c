import { MastodonOptions } from '@herald/contracts/options/mastodon'
import type { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { withFiles } from '../file-upload.ts'
import { request } from '../http.ts'
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
import { meaningOf, meaningOfSilence } from '../refusal.ts'
import { MASTODON_ERRORS } from './errors.ts'
import { freshToken, identify, readLimits } from './identify.ts'
import { lookUp } from './look-up.ts'
import { prepareMedia, readStep } from './media.ts'
import { mastodonOAuth } from './oauth.ts'
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
  prepare,
  commit,
  lookUp,
  oauth: mastodonOAuth,
  readLimits,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readOptions(MastodonOptions, input)
  if (read.outcome !== 'read') return read
  return input.media.length === 0
    ? { outcome: 'ready', step: {} }
    : await withFiles(() => prepareMedia(input))
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const read = readOptions(MastodonOptions, input)
  if (read.outcome !== 'read') return read
  const mediaIds = mediaIdsOf(input)
  if (!mediaIds) return { outcome: 'permanent', errorCode: 'media_missing', message: NOT_UPLOADED }
  const result = await request({
    method: 'POST',
    url: addressOf(input.baseUrl, '/api/v1/statuses'),
    headers: {
      authorization: `Bearer ${input.token}`,
      'content-type': 'application/json',
      'idempotency-key': input.idempotencyKey,
    },
    body: JSON.stringify(bodyOf(input.text, mediaIds, read.options)),
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

const NOT_UPLOADED = 'A file of the post was not uploaded. Create the post again.'

/** The instance's ids of the post's files in their order, or undefined when one is not uploaded. */
function mediaIdsOf({ media, step }: PublishInput & Prepared): string[] | undefined {
  const { uploads } = readStep(step)
  const ids = media.flatMap(({ id }) => uploads[id]?.id ?? [])
  return ids.length === media.length ? ids : undefined
}

function bodyOf(
  text: string,
  mediaIds: string[],
  options: z.infer<typeof MastodonOptions>,
): Record<string, unknown> {
  const { visibility, sensitive, spoilerText, language } = options
  const media = mediaIds.length === 0 ? {} : { media_ids: mediaIds }
  return { status: text, ...media, visibility, sensitive, spoiler_text: spoilerText, language }
}
