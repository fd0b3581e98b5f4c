import { z } from 'zod'
import { request } from '../http.ts'
import type { NotPublished, PublishInput } from '../platform.ts'
import { poll } from '../poll.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, meaningOf, meaningOfSilence, oneLine } from '../refusal.ts'
import { get } from './api.ts'
import { X_MEDIA_ERRORS } from './errors.ts'

const TIMEOUT_MS = 15_000

/** What X says of an upload. Without `processing_info` it is ready. */
export const Answer = z.object({
  data: z.object({
    processing_info: z
      .object({
        state: z.string(),
        error: z.object({ message: z.string().optional() }).nullish().catch(null),
      })
      .optional(),
  }),
})

type Processed = { outcome: 'processed' } | { outcome: 'gone' } | NotPublished

/** Asks until X has processed an uploaded file, or says that it cannot. */
export function waitUntilProcessed(input: PublishInput, id: string): Promise<Processed> {
  const busy = 'X is still working on a file of the post.'
  return poll<Processed>(() => askOnce(input, id), { signal: input.signal, busy })
}

async function askOnce(
  input: PublishInput,
  id: string,
): Promise<Processed | { outcome: 'processing' }> {
  const call = get(input, '/2/media/upload', { command: 'STATUS', media_id: id })
  const result = await request({ ...call, timeoutMs: TIMEOUT_MS, signal: input.signal })
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'X'))
  if (result.status === 404) return { outcome: 'gone' }
  if (result.status !== 200) return asPreparing(meaningOf(result, X_MEDIA_ERRORS, Date.now()))
  const data = readJson(Answer, result.text)?.data
  if (!data) return { outcome: 'transient', message: 'X gave an unreadable answer about a file.' }
  switch (data.processing_info?.state) {
    case undefined:
    case 'succeeded':
      return { outcome: 'processed' }
    case 'failed': {
      const said = oneLine(data.processing_info.error?.message || 'no reason given')
      return {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: `X cannot process a file of the post: ${said}`,
      }
    }
    default:
      return { outcome: 'processing' }
  }
}
