import { z } from 'zod'
import type { Ledger } from './ledger.ts'

export type Clock = {
  /** Milliseconds since 1970. */
  now: () => number
  advance: (seconds: number) => void
}

const Advanced = z.object({ advancedSeconds: z.number() })

/** The time in the sandbox: that of `base`, and what it was advanced by. */
export function openClock(ledger: Ledger, base: () => number): Clock {
  const part = ledger.part({
    name: 'clock',
    schema: Advanced,
    empty: () => ({ aheadMs: 0 }),
    apply: (state, { advancedSeconds }) => {
      state.aheadMs += advancedSeconds * 1000
    },
  })
  return {
    now: () => Math.floor(base() + part.state.aheadMs),
    advance: (seconds) => part.record({ advancedSeconds: seconds }),
  }
}
