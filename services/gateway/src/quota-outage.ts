import { unavailable } from '@herald/contracts/errors'
import type { Logger } from '@herald/service/logger'

export type QuotaOutage = {
  /**
   * Asks whether a request may go on. While the quota service is away a read goes on uncounted, which answers nothing,
   * for 60 s; then it is refused with 503, and everything else at once.
   */
  ask: <T>(call: () => Promise<T>, isRead: boolean) => Promise<T | undefined>
}

export type QuotaOutageDeps = {
  logger: Logger
  /** Milliseconds that only ever grow. */
  elapsed?: () => number
}

/** How outages of the quota service went since the process began, for telemetry to read. */
export const quotaOutageCounts = { outages: 0, letThrough: 0, refused: 0 }

const READS_GO_ON_MS = 60_000
/** During an outage one request in this time asks; the others do not wait for what will not come. */
const ASK_AGAIN_MS = 500

/** Remembers whether the quota service is away and since when. */
export function quotaOutage({
  logger,
  elapsed = () => performance.now(),
}: QuotaOutageDeps): QuotaOutage {
  let since: number | undefined
  let askAgainAt = 0

  const begin = (error: unknown) => {
    if (since !== undefined) return
    since = elapsed()
    askAgainAt = since + ASK_AGAIN_MS
    quotaOutageCounts.outages += 1
    logger.warn({ error }, 'The quota service is away; reads go on uncounted for a minute.')
  }

  const end = () => {
    if (since === undefined) return
    const ms = Math.round(elapsed() - since)
    since = undefined
    logger.warn({ ms, ...quotaOutageCounts }, 'The quota service is back.')
  }

  const isWorthAsking = (): boolean => {
    if (since === undefined) return true
    const now = elapsed()
    if (now < askAgainAt) return false
    askAgainAt = now + ASK_AGAIN_MS
    return true
  }

  const goOnWithout = (isRead: boolean, error?: unknown): undefined => {
    if (isRead && since !== undefined && elapsed() - since < READS_GO_ON_MS) {
      quotaOutageCounts.letThrough += 1
      return undefined
    }
    quotaOutageCounts.refused += 1
    throw unavailable(error)
  }

  return {
    ask: async (call, isRead) => {
      if (!isWorthAsking()) return goOnWithout(isRead)
      try {
        const answer = await call()
        end()
        return answer
      } catch (error) {
        begin(error)
        return goOnWithout(isRead, error)
      }
    },
  }
}
