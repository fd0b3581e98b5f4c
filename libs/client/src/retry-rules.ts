/** How a try of a request ended, as far as another try depends on it. */
export type Ending =
  | { kind: 'answer'; status: number; retryAfterMs: number | null; isInProgress: boolean }
  | { kind: 'no_answer'; isUnsent: boolean }

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000

/**
 * Whether a request may be made again. `isRepeatable` is one of which a repeat does no harm: one that only reads, or
 * carries an `Idempotency-Key`. Any other is made again only when it was certainly not carried out.
 */
export function mayRepeat(ending: Ending, isRepeatable: boolean): boolean {
  if (ending.kind === 'no_answer') return isRepeatable || ending.isUnsent
  // What is rate-limited was not begun. A part of Herald that is away (503) may have been lost midway.
  if (ending.status === 429) return true
  if (!isRepeatable) return false
  return [408, 502, 503, 504].includes(ending.status) || ending.isInProgress
}

/** Milliseconds to wait before try number `next` (1 is the second), by jitter between 0 and 1. Never before `Retry-After`. */
export function waitBefore(next: number, retryAfterMs: number | null, jitter: number): number {
  const most = Math.min(FIRST_WAIT_MS * 2 ** (next - 1), LONGEST_WAIT_MS)
  const wait = most * (0.5 + jitter / 2)
  // Many clients may have been told the same moment; the jitter comes on top.
  return Math.round(retryAfterMs === null ? wait : retryAfterMs + (FIRST_WAIT_MS / 2) * jitter)
}

/** What a `Retry-After` header asks to wait from `now`, in milliseconds; null when it is missing or unreadable. */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get('retry-after') ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  const at = /^[A-Z][a-z]{2}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether a failure of `fetch` came before the first byte of the request was sent. */
export function isUnsent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && NOT_CONNECTED.has(String(cause.code))
}
