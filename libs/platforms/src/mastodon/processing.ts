import { setTimeout as wait } from 'node:timers/promises'
import { addressOf } from '../addresses.ts'
import { request } from '../http.ts'
import type { NotPublished, PublishInput } from '../platform.ts'
import { asPreparing, meaningOf, meaningOfSilence } from '../refusal.ts'
import { MASTODON_MEDIA_ERRORS } from './errors.ts'

const TIMEOUT_MS = 15_000
/** How long the instance is given to process a file, before preparing is put off. */
const PATIENCE_MS = 5 * 60_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

type Processed = { outcome: 'processed' } | { outcome: 'gone' } | NotPublished

/** Asks, less and less often, until the instance has processed an uploaded file, or says that it cannot. */
export async function waitUntilProcessed(input: PublishInput, id: string): Promise<Processed> {
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(PATIENCE_MS)])
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const state = await askOnce(input, id)
    if (state.outcome !== 'processing') return state
    try {
      await wait(pauseMs, undefined, { signal })
    } catch {
      return { outcome: 'transient', message: 'Mastodon is still working on a file of the post.' }
    }
  }
}

async function askOnce(
  { baseUrl, token, signal }: PublishInput,
  id: string,
): Promise<Processed | { outcome: 'processing' }> {
  const result = await request({
    method: 'GET',
    url: addressOf(baseUrl, `/api/v1/media/${encodeURIComponent(id)}`),
    headers: { authorization: `Bearer ${token}` },
    timeoutMs: TIMEOUT_MS,
    signal,
  })
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'Mastodon'))
  switch (result.status) {
    case 200:
      return { outcome: 'processed' }
    case 206:
      return { outcome: 'processing' }
    case 404:
      return { outcome: 'gone' }
    default:
      return asPreparing(meaningOf(result, MASTODON_MEDIA_ERRORS, Date.now()))
  }
}
