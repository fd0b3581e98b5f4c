/** The longest that a platform's word to wait is followed; after it, asking again does no harm. */
export const LONGEST_WAIT_MS = 15 * 60_000

const SAME_CLOCK_MS = 5_000

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/

/**
 * When a rate-limited call may be made again, by the first header that names a moment that is still to come, in
 * milliseconds since 1970 and at most 15 minutes after `now`; null when there is none. In this order: `Retry-After`
 * (seconds or an HTTP date), `X-RateLimit-Reset-After` (seconds), `X-RateLimit-Reset` (an ISO time, Unix seconds, or seconds
 * from now), `X-Rate-Limit-Reset` and `RateLimit-Reset` (Unix seconds), and Meta's `X-Business-Use-Case-Usage` (JSON with
 * minutes). A moment is one of the platform's clock, which `Date` tells.
 */
export function retryAt(headers: Record<string, string>, now: number): number | null {
  const aheadMs = aheadOf(headers['date'], now)
  const here = (at: number | undefined) => (at === undefined ? undefined : at + aheadMs)
  const reset = headers['x-ratelimit-reset']
  const moments = [
    afterSeconds(headers['retry-after'], now) ?? here(httpDate(headers['retry-after'])),
    afterSeconds(headers['x-ratelimit-reset-after'], now),
    isTooSmall(reset) ? afterSeconds(reset, now) : here(isoTime(reset) ?? unixTime(reset)),
    here(unixTime(headers['x-rate-limit-reset'])),
    here(unixTime(headers['ratelimit-reset'])),
    afterMinutes(headers['x-business-use-case-usage'], now),
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

/** A number of at most seven digits is no moment of our time: some platforms name the seconds until the reset. */
function isTooSmall(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,7}(\.\d+)?$/.test(text)
}

/** The longest wait that the header names; each of its accounts and kinds of call has one. */
function afterMinutes(text: string | undefined, now: number): number | undefined {
  const named = text?.matchAll(/"estimated_time_to_regain_access":(\d{1,6})\b/g) ?? []
  const minutes = Math.max(0, ...Array.from(named, ([, number]) => Number(number)))
  return minutes > 0 ? now + minutes * 60_000 : undefined
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
