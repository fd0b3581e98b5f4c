/** How many calls are allowed in each window of time. */
export type RateLimit = { calls: number; windowMs: number }

export type RateState = {
  /** Whether this call is within the limit. */
  allowed: boolean
  limit: number
  windowMs: number
  remaining: number
  /** When the window ends, in milliseconds since 1970. */
  resetMs: number
}

/** Counts calls in fixed windows, one count for each key. */
export function createRateWindow(now: () => number, { calls, windowMs }: RateLimit) {
  const counts = new Map<string, { window: number; used: number }>()
  return (key: string, cost = 1): RateState => {
    const window = Math.floor(now() / windowMs)
    const count = counts.get(key)
    const used = (count?.window === window ? count.used : 0) + cost
    counts.set(key, { window, used })
    return {
      allowed: used <= calls,
      limit: calls,
      windowMs,
      remaining: Math.max(0, calls - used),
      resetMs: (window + 1) * windowMs,
    }
  }
}
