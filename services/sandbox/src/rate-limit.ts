/** A fixed window per account: how many calls are left and when the window ends (milliseconds since 1970). */
export type Window = { limit: number; remaining: number; resetsAt: number; isExceeded: boolean }

/** Counts calls in windows of a fixed length. */
export function rateLimiter(limit: number, windowMs: number, now: () => number) {
  const windows = new Map<string, { used: number; resetsAt: number }>()
  return (key: string): Window => {
    const known = windows.get(key)
    const window = known && known.resetsAt > now() ? known : { used: 0, resetsAt: now() + windowMs }
    window.used += 1
    windows.set(key, window)
    return {
      limit,
      remaining: Math.max(0, limit - window.used),
      resetsAt: window.resetsAt,
      isExceeded: window.used > limit,
    }
  }
}
