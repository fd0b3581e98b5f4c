import type { Attempt, Outcome } from './attempt.ts'

/** Failures after which trying again could help. */
const RETRYABLE = new Set([
  'missed',
  'rate_limited',
  'unreachable',
  'platform_down',
  'unavailable',
  'unprepared',
  'token_refused',
  'reauth_required',
  'channel_disconnected',
])

/** The end of an attempt that left nothing live, or whose outcome stays unknown. */
export function failed(attempt: Attempt, errorCode: string, error: string): Outcome {
  return {
    outcome: 'failed',
    errorCode,
    error,
    retryable: RETRYABLE.has(errorCode),
    attempts: attempt.tries,
    latenessMs:
      attempt.called_at === null || attempt.may_be_live_since !== null ? null : latenessOf(attempt),
  }
}

/** From the due time to the call that made the post live, in milliseconds, both by the database's clock. */
export function latenessOf({ called_at, due_at }: Attempt): number {
  return called_at === null ? 0 : Date.parse(called_at) - Date.parse(due_at)
}
