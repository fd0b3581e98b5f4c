import { setTimeout as wait } from 'node:timers/promises'

/** How long a platform is given to finish something, before preparing is put off. */
const PATIENCE_MS = 5 * 60_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/**
 * Asks, less and less often, until the answer is another one than `processing`. After five minutes, or when the caller
 * stops waiting, it is `transient` with the sentence `busy`.
 */
export async function poll<T extends { outcome: string }>(
  ask: () => Promise<T | { outcome: 'processing' }>,
  { signal, busy }: { signal: AbortSignal; busy: string },
): Promise<T | { outcome: 'transient'; message: string }> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const answer = await ask()
    if (!isProcessing(answer)) return answer
    try {
      await wait(pauseMs, undefined, { signal: limit })
    } catch {
      return { outcome: 'transient', message: busy }
    }
  }
}

function isProcessing<T extends { outcome: string }>(
  answer: T | { outcome: 'processing' },
): answer is { outcome: 'processing' } {
  return answer.outcome === 'processing'
}
