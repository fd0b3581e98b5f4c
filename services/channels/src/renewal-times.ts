const LEAST_MS = 60_000
const SHARE = 0.75
/** So that tokens which were given at one time are not renewed at one time. */
const JITTER = 0.05

/**
 * When a token that was given now is to be renewed: after three quarters of its life, and a minute from now at the
 * soonest. Milliseconds since 1970; null for a token that does not expire.
 */
export function renewalTime(now: number, expiresAt: number | null): number | null {
  if (expiresAt === null) return null
  const share = SHARE + Math.random() * JITTER
  return Math.round(now + Math.max(LEAST_MS, (expiresAt - now) * share))
}
