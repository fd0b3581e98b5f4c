import { z } from 'zod'
import { request } from '../http.ts'
import type { NotPublished, PublishInput } from '../platform.ts'
import { poll } from '../poll.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, meaningOf, meaningOfSilence, oneLine } from '../refusal.ts'
import { get } from './api.ts'
import { UNREADABLE } from './call.ts'
import { LINKEDIN_MEDIA_ERRORS } from './errors.ts'

const TIMEOUT_MS = 15_000

const Asset = z.object({ status: z.string(), processingFailureReason: z.string().nullish() })

type Processed = { outcome: 'processed' } | NotPublished

/** Asks until LinkedIn has processed an uploaded file, or says that it cannot. */
export function waitUntilReady(input: PublishInput, urn: string): Promise<Processed> {
  const busy = 'LinkedIn is still working on a file of the post.'
  return poll<Processed>(() => askOnce(input, urn), { signal: input.signal, busy })
}

/**
 * A member's token may not read the member's own pictures and documents. LinkedIn then refuses a post that comes too early
 * as one of files that are not ready.
 */
async function askOnce(
  input: PublishInput,
  urn: string,
): Promise<Processed | { outcome: 'processing' }> {
  const [, , kind] = urn.split(':')
  const call = get(input, `/rest/${kind}s/${encodeURIComponent(urn)}`)
  const result = await request({ ...call, timeoutMs: TIMEOUT_MS, signal: input.signal })
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'LinkedIn'))
  if (result.status === 403) return { outcome: 'processed' }
  if (result.status !== 200)
    return asPreparing(meaningOf(result, LINKEDIN_MEDIA_ERRORS, Date.now()))
  const asset = readJson(Asset, result.text)
  switch (asset?.status) {
    case 'AVAILABLE':
      return { outcome: 'processed' }
    case 'WAITING_UPLOAD':
    case 'PROCESSING':
      return { outcome: 'processing' }
    case 'PROCESSING_FAILED': {
      const said = oneLine(asset.processingFailureReason || 'no reason given')
      return {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: `LinkedIn cannot process a file of the post: ${said}`,
      }
    }
    case undefined:
    default:
      return UNREADABLE
  }
}
