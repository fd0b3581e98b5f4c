const EVERY_MS = 100
/** How much of the old value stays: one long pause is no overload, pause behind pause is. */
const KEPT = 0.5

export type LagMeter = { lagMs: () => number; stop: () => void }

/**
 * Measures how late timers are, in milliseconds, smoothed over a few of them. It is what every request waits at least,
 * whatever it asks for.
 */
export function measureLag({
  everyMs = EVERY_MS,
  elapsed = () => performance.now(),
} = {}): LagMeter {
  let smoothed = 0
  let last = elapsed()
  const timer = setInterval(() => {
    const now = elapsed()
    smoothed = smooth(smoothed, now - last - everyMs)
    last = now
  }, everyMs)
  timer.unref()
  return { lagMs: () => smoothed, stop: () => clearInterval(timer) }
}

/** The next smoothed value after a timer was so many milliseconds late. */
export function smooth(before: number, lateMs: number): number {
  return KEPT * before + (1 - KEPT) * Math.max(0, lateMs)
}
