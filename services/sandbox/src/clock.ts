import { z } from 'zod'
import type { Store } from './store.ts'

export type Clock = {
  /** Milliseconds since 1970, with everything that the clock was advanced by. */
  now: () => number
  iso: () => string
  advance: (seconds: number) => void
}

/** The time of the platforms. It can be moved forward, for what takes hours to expire; it stays moved after a restart. */
export function createClock(store: Store, realNow: () => number): Clock {
  const advances = store.table('clock', z.number())
  const advancedMs = () => advances.get('advancedMs') ?? 0
  const now = () => realNow() + advancedMs()
  return {
    now,
    iso: () => new Date(now()).toISOString(),
    advance: (seconds) => advances.put('advancedMs', advancedMs() + seconds * 1000),
  }
}
