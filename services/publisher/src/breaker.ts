/** So many calls in a row must fail, within this time, before calls pause. */
const FAILURES = 5
const WITHIN_MS = 5 * 60_000
/** The first pause; each one after a probe that failed is twice as long. */
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 2 * 60_000
/** How long others wait while a probe is under way. When it succeeds they are let go at once. */
const PROBE_MS = 15_000

/** One call that was let through. */
export type Passing = { account: string; isProbe: boolean }

/**
 * Stops calls to where they keep failing. After some failures in a row calls pause; then one at a time is let through as
 * a probe, until one succeeds. Times are in milliseconds since 1970.
 */
export type Breaker = {
  /** Until when calls wait; nothing when one may be made. */
  waitUntil: () => number | undefined
  /** Lets a call through, as the probe when calls were pausing. */
  pass: (account: string) => Passing
  /** Answers for how long calls pause from now on, if they did not before. */
  failed: (passing: Passing) => number | undefined
  /** Answers whether calls were pausing until now. */
  succeeded: () => boolean
  /** The call came to nothing that says how the platform is. */
  saidNothing: (passing: Passing) => void
}

/**
 * A breaker that lets everything through. With `fewestAccounts` above 1 it takes failures of so many accounts to stop it, so
 * that one broken account does not stop the others.
 */
export function createBreaker(options: { fewestAccounts: number; now: () => number }): Breaker {
  const { fewestAccounts, now } = options
  let failures = 0
  let firstFailureAt = 0
  const accounts = new Set<string>()
  let pauseMs = 0
  let pausesUntil = 0
  let isProbing = false

  const reset = () => {
    failures = 0
    accounts.clear()
    pauseMs = 0
    isProbing = false
  }
  const pause = (ms: number) => {
    pauseMs = ms
    pausesUntil = now() + ms
    isProbing = false
    return ms
  }
  return {
    waitUntil: () => {
      if (pauseMs === 0) return undefined
      if (now() < pausesUntil) return pausesUntil
      return isProbing ? now() + PROBE_MS : undefined
    },
    pass: (account) => {
      const isProbe = pauseMs > 0
      if (isProbe) isProbing = true
      return { account, isProbe }
    },
    failed: ({ account, isProbe }) => {
      // A call that was under way when the pause began says nothing new.
      if (pauseMs > 0) return isProbe ? pause(Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) : undefined
      if (now() - firstFailureAt > WITHIN_MS) reset()
      if (failures === 0) firstFailureAt = now()
      failures += 1
      accounts.add(account)
      const isEnough = failures >= FAILURES && accounts.size >= fewestAccounts
      return isEnough ? pause(FIRST_PAUSE_MS) : undefined
    },
    succeeded: () => {
      const wasPausing = pauseMs > 0
      reset()
      return wasPausing
    },
    saidNothing: ({ isProbe }) => {
      if (isProbe) isProbing = false
    },
  }
}
