/** The longest that a platform's word to wait is followed; after it, asking again does no harm. */
export const LONGEST_WAIT_MS = 15 * 60_000

const SAME_CLOCK_MS = 5_000

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/

/**
 * When a rate-limited call may be made again, from `Retry-After` (seconds or an HTTP date), `X-RateLimit-Reset-After`
 * (seconds), `X-RateLimit-Reset` (an ISO time or Unix seconds) or `RateLimit-Reset` (Unix seconds), in this order. A moment is one of the platform's clock,
 * which `Date` tells. Milliseconds since 1970, at most 15 minutes after `now`; null when no header names a moment that
 * is still to come.
 */
export function retryAt(headers: Record<string, string>, now: number): number | null {
  const aheadMs = aheadOf(headers['date'], now)
  const here = (at: number | undefined) => (at === undefined ? undefined : at + aheadMs)
  const moments = [
    afterSeconds(headers['retry-after'], now) ?? here(httpDate(headers['retry-after'])),
    afterSeconds(headers['x-ratelimit-reset-after'], now),
    here(isoTime(headers['x-ratelimit-reset']) ?? unixTime(headers['x-ratelimit-reset'])),
    here(unixTime(headers['ratelimit-reset'])),
  ]
  const moment = moments.find((at) => at !== undefined && at > now)
  return moment === undefined ? null : Math.min(moment, now + LONGEST_WAIT_MS)
}

/** How far this clock is ahead of the platform's. `Date` has whole seconds, so a small difference is none. */
function aheadOf(date: string | undefined, now: number): number {
  const aheadMs = now - (httpDate(date) ?? now)
  return Math.abs(aheadMs) < SAME_CLOCK_MS ? 0 : aheadMs
}

function afterSeconds(text: string | undefined, now: number): number | undefined {
  return isSeconds(text) ? now + Math.ceil(Number(text) * 1000) : undefined
}

function unixTime(text: string | undefined): number | undefined {
  return isSeconds(text) ? Math.ceil(Number(text) * 1000) : undefined
}

function isSeconds(text: string | undefined): text is string {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text)
}

function httpDate(text: string | undefined): number | undefined {
  return text !== undefined && HTTP_DATE.test(text) ? readDate(text) : undefined
}

function isoTime(text: string | undefined): number | undefined {
  return text !== undefined && ISO_TIME.test(text) ? readDate(text) : undefined
}

function readDate(text: string): number | undefined {
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
