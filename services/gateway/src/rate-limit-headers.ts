import type { Admission } from '@herald/contracts/quota'

type Left = Pick<Admission, 'at' | 'minute' | 'month'>

/**
 * What is left, in headers: `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11 for the minute
 * of the key and the month of its organization, and the `X-RateLimit-` headers in general use for the minute. `t` and
 * `X-RateLimit-Reset` say when one request more becomes possible: the minute fills up steadily, not all at once.
 */
export function rateLimitHeaders({ at, minute, month }: Left): [string, string][] {
  const left = Math.max(0, month.limit - month.used)
  const minuteLeft = `"minute";r=${minute.remaining};t=${secondsUntil(minute.resetsAt, at)}`
  const monthLeft = `"month";r=${left};t=${secondsUntil(month.resetsAt, at)}`
  const policies = `"minute";q=${minute.limit};w=60, "month";q=${month.limit};w=${lengthOf(month.resetsAt)}`
  return [
    ['RateLimit-Policy', policies],
    ['RateLimit', `${minuteLeft}, ${monthLeft}`],
    ['X-RateLimit-Limit', String(minute.limit)],
    ['X-RateLimit-Remaining', String(minute.remaining)],
    ['X-RateLimit-Reset', String(Math.ceil(Date.parse(minute.resetsAt) / 1_000))],
  ]
}

/** Whole seconds from one instant to a later one, rounded up. Both are the database's, so no other clock matters. */
export function secondsUntil(later: string, at: string): number {
  return Math.max(0, Math.ceil((Date.parse(later) - Date.parse(at)) / 1_000))
}

/** The seconds of the calendar month that ends at this instant. */
function lengthOf(monthEnd: string): number {
  const end = new Date(monthEnd)
  return (end.getTime() - Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1)) / 1_000
}
