import { BlueskyOptions } from '@herald/contracts/options/bluesky'
import { z } from 'zod'
import { withFiles } from '../file-upload.ts'
import { request } from '../http.ts'
import { readOptions } from '../options.ts'
import type {
  CommitOutcome,
  Connector,
  LookUpInput,
  LookUpOutcome,
  Prepared,
  PrepareInput,
  PrepareResult,
  PublishInput,
} from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOf, meaningOfSilence, reason } from '../refusal.ts'
import { BLUESKY_ERRORS, readXrpcError } from './errors.ts'
import { identify } from './identify.ts'
import { uploadMedia } from './media.ts'
import { resolveMentions } from './mentions.ts'
import { COLLECTION, liveOf, recordOf } from './record.ts'
import { rkeyOf } from './rkey.ts'
import { freshToken } from './session.ts'
import { Step } from './step.ts'
import { procedure, query } from './xrpc.ts'

const TIMEOUT_MS = 30_000
const LOOK_UP_TIMEOUT_MS = 15_000

const Created = z.object({ uri: z.string().startsWith('at://') })
const Found = z.object({ value: z.looseObject({ text: z.string() }) })

/**
 * Bluesky and other AT Protocol servers. The post's record key is chosen here, so one post can never become two, and
 * reading that record proves whether it is live.
 */
export const blueskyConnector: Connector = {
  settles: 'deterministicId',
  identify,
  freshToken,
  prepare,
  commit,
  lookUp,
}

async function prepare(input: PrepareInput): Promise<PrepareResult> {
  const read = readOptions(BlueskyOptions, input)
  if (read.outcome !== 'read') return read
  const kept = Step.safeParse(input.step).data
  if (kept) return await withFiles(() => uploadMedia(input, kept))
  const resolved = await resolveMentions(input)
  if (resolved.outcome !== 'resolved') return resolved
  const { mentions } = resolved
  return await withFiles(() => uploadMedia(input, { mentions, files: {} }))
}

async function commit(input: PublishInput & Prepared): Promise<CommitOutcome> {
  const built = recordOf(input)
  if (built.outcome !== 'built') return built
  const body = {
    repo: input.account,
    collection: COLLECTION,
    rkey: rkeyOf(input),
    record: built.record,
  }
  const call = procedure(input.baseUrl, 'com.atproto.repo.createRecord', body, input.token)
  const result = await request({ ...call, timeoutMs: TIMEOUT_MS, signal: input.signal })
  if (result.kind !== 'response') return meaningOfSilence(result, 'Bluesky')
  if (result.status !== 200) return meaningOf(result, BLUESKY_ERRORS, Date.now())
  const live = liveOf(input, new Date().toISOString())
  return readJson(Created, result.text)?.uri === live.platformPostId
    ? { outcome: 'published', ...live }
    : { outcome: 'unknown', message: 'Bluesky took the post, but its answer is not readable.' }
}

/** Reads the record of the post's key, which needs no token. The answer proves it either way. */
async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const call = query(input.baseUrl, 'com.atproto.repo.getRecord', {
    repo: input.account,
    collection: COLLECTION,
    rkey: rkeyOf(input),
  })
  const result = await request({ ...call, timeoutMs: LOOK_UP_TIMEOUT_MS, signal: input.signal })
  if (result.kind !== 'response')
    return { cannotTell: `Bluesky did not answer (${reason(result.error)}).` }
  if (result.status === 200) {
    const found = readJson(Found, result.text)
    if (found?.value.text !== input.text)
      return { cannotTell: 'The record with the key of this post has another text.' }
    return { found: liveOf(input, new Date(input.calledAt).toISOString()) }
  }
  return saysAbsent(result.status, result.text)
    ? { absent: true }
    : { cannotTell: `Bluesky answered with status ${result.status}.` }
}

/** Older servers say it in words only. */
function saysAbsent(status: number, text: string): boolean {
  const { code, message = '' } = readXrpcError(text)
  return status === 400 && (code === 'RecordNotFound' || /could not locate record/i.test(message))
}
