import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { NotPublished, PublishInput } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { asPreparing, meaningOf, meaningOfSilence } from '../refusal.ts'
import { apiCall, callApi } from './api.ts'
import { PINTEREST_ERRORS } from './errors.ts'

/** How long Pinterest is given to process a video, before preparing is put off. */
const PATIENCE_MS = 5 * 60_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

const Media = z.object({ status: z.enum(['registered', 'processing', 'succeeded', 'failed']) })

type Processed = { outcome: 'processed' } | { outcome: 'gone' } | NotPublished

/** Asks, less and less often, until Pinterest has processed a video, or says that it cannot. */
export async function waitUntilProcessed(input: PublishInput, mediaId: string): Promise<Processed> {
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(PATIENCE_MS)])
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const state = await askOnce(input, mediaId)
    if (state.outcome !== 'processing') return state
    try {
      await wait(pauseMs, undefined, { signal })
    } catch {
      return { outcome: 'transient', message: 'Pinterest is still working on the video.' }
    }
  }
}

async function askOnce(
  input: PublishInput,
  mediaId: string,
): Promise<Processed | { outcome: 'processing' }> {
  const call = apiCall(input, 'GET', `/media/${encodeURIComponent(mediaId)}`)
  const result = await callApi(input, call)
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'Pinterest'))
  if (result.status === 404) return { outcome: 'gone' }
  const media = result.status === 200 ? readJson(Media, result.text) : undefined
  switch (media?.status) {
    case 'succeeded':
      return { outcome: 'processed' }
    case 'failed':
      return {
        outcome: 'permanent',
        errorCode: 'media_unfit',
        message: 'Pinterest could not process the video.',
      }
    case 'registered':
    case 'processing':
      return { outcome: 'processing' }
    case undefined:
      return asPreparing(meaningOf(result, PINTEREST_ERRORS, Date.now()))
  }
}
