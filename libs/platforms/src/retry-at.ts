const LONGEST_MS = 15 * 60_000

/**
 * When a platform wants to be asked again, in milliseconds since 1970, from the values of its headers in the order of
 * trust: seconds from now, seconds since 1970, or a date. A value that is no time or lies in the past is
 * passed over; one more than 15 minutes ahead counts as 15 minutes.
 */
export function retryAt(
  now: number,
  values: readonly (string | string[] | undefined)[],
): number | null {
  for (const value of values) {
    const at = typeof value === 'string' ? parse(now, value.trim()) : Number.NaN
    if (at > now) return Math.min(at, now + LONGEST_MS)
  }
  return null
}

function parse(now: number, value: string): number {
  if (!/^\d+(\.\d+)?$/.test(value)) return Date.parse(value)
  const seconds = Number(value)
  // A number that large is a moment, not a wait.
  return seconds > 1_000_000_000 ? seconds * 1000 : now + seconds * 1000
}
