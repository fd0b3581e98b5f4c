import type { World } from './stand-in.ts'

export type RateWindowOptions = {
  limit: number
  windowSeconds: number
  /** Whether windows start at whole multiples of their length, or for each key at its first call. */
  isAligned: boolean
}

export type Used = {
  limit: number
  windowSeconds: number
  remaining: number
  /** Milliseconds since 1970. */
  resetAt: number
  isExceeded: boolean
}

export type RateWindow = { use: (key: string, points?: number) => Used }

/** Counts calls by key in windows of a fixed length. What is counted is not kept over a restart. */
export function openRateWindow(world: World, options: RateWindowOptions): RateWindow {
  const { limit, windowSeconds, isAligned } = options
  const windowMs = windowSeconds * 1000
  const counted = new Map<string, { count: number; resetAt: number }>()
  world.ledger.onClear(() => counted.clear())
  return {
    use: (key, points = 1) => {
      const now = world.now()
      let entry = counted.get(key)
      if (!entry || entry.resetAt <= now) {
        const resetAt = now + windowMs - (isAligned ? now % windowMs : 0)
        entry = { count: 0, resetAt }
        counted.set(key, entry)
      }
      entry.count += points
      const isExceeded = entry.count > limit
      const remaining = Math.max(0, limit - entry.count)
      return { limit, windowSeconds, remaining, resetAt: entry.resetAt, isExceeded }
    },
  }
}

/** The one that leaves the fewest calls; one that is exceeded before all. */
export function tightest(used: readonly Used[]): Used | undefined {
  return used.toSorted(
    (one, other) =>
      Number(other.isExceeded) - Number(one.isExceeded) || one.remaining - other.remaining,
  )[0]
}
