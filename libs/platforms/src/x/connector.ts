import { XOptions } from '@herald/contracts/options/x'
import { z } from 'zod'
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
import { post } from './api.ts'
import { X_ERRORS } from './errors.ts'
import { identify, readLimits } from './identify.ts'
import { lookUp } from './look-up.ts'
import { prepareMedia } from './media.ts'
import { freshToken, xOauth } from './oauth.ts'
import { liveOf } from './post.ts'
import { readStep } from './step.ts'

const TIMEOUT_MS = 30_000

const Created = z.object({ data: z.object({ id: z.string().regex(/^\d{1,19}$/) }) })

/** X, API v2. There is no key for a call; an unknown outcome is settled by looking through the latest posts. */
export const xConnector: Connector = {
  settles: 'lookup',
  identify,
  freshToken,
  prepare,
  commit,
  lookUp,
  readLimits,
  oauth: xOauth,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readOptions(XOptions, input)
  if (read.outcome !== 'read') return read
  return input.media.length === 0
    ? { outcome: 'ready', step: {} }
    : await withFiles(() => prepareMedia(input))
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const read = readOptions(XOptions, input)
  if (read.outcome !== 'read') return read
  const mediaIds = mediaIdsOf(input)
  if (!mediaIds) return { outcome: 'permanent', errorCode: 'media_missing', message: NOT_UPLOADED }
  const call = post(input, '/2/tweets', bodyOf(input.text, mediaIds, read.options))
  const result = await request({ ...call, timeoutMs: TIMEOUT_MS, signal: input.signal })
  if (result.kind !== 'response') return meaningOfSilence(result, 'X')
  if (result.status < 200 || result.status > 299) return meaningOf(result, X_ERRORS, Date.now())
  const id = readJson(Created, result.text)?.data.id
  return id === undefined
    ? { outcome: 'unknown', message: 'X took the post, but its answer is not readable.' }
    : { outcome: 'published', ...liveOf(id, new Date().toISOString(), input) }
}

const NOT_UPLOADED = 'A file of the post was not uploaded. Create the post again.'

/** X's ids of the post's files in their order, or undefined when one is not uploaded. */
function mediaIdsOf({ media, step }: PublishInput & Prepared): string[] | undefined {
  const { uploads } = readStep(step)
  const ids = media.flatMap(({ id }) => (uploads[id]?.isReady ? uploads[id].id : []))
  return ids.length === media.length ? ids : undefined
}

function bodyOf(
  text: string,
  mediaIds: string[],
  { replySettings, madeWithAi, paidPartnership }: z.infer<typeof XOptions>,
): Record<string, unknown> {
  return {
    ...(text !== '' && { text }),
    ...(mediaIds.length > 0 && { media: { media_ids: mediaIds } }),
    reply_settings: replySettings,
    made_with_ai: madeWithAi,
    paid_partnership: paidPartnership,
  }
}
