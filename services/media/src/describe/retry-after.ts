/** The longest that a describer's word to wait is followed. */
const LONGEST_WAIT_MS = 15 * 60_000

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * How long a `Retry-After` header asks to wait from `now`, both in milliseconds; at most 15 minutes. Null when it is
 * missing, unreadable or over.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  const wait = waitOf(header ?? '', now)
  return wait > 0 ? Math.min(wait, LONGEST_WAIT_MS) : null
}

function waitOf(header: string, now: number): number {
  if (/^\d+$/.test(header)) return Number(header) * 1000
  return HTTP_DATE.test(header) ? Date.parse(header) - now : 0
}
