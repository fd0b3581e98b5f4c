import { AppError } from '@herald/contracts/errors'

const GRACE_MS = 60_000
const YEARS_AHEAD = 2

/**
 * When a post is due. Without a time, and with one up to 60 seconds ago, it is due now. Refuses an earlier
 * time and one more than two years ahead. Both arguments and the answer are ISO 8601 in UTC.
 */
export function dueTime(publishAt: string | undefined, now: string): string {
  if (publishAt === undefined) return now
  if (Date.parse(publishAt) < Date.parse(now) - GRACE_MS)
    throw refused('The publish time is in the past.', 'is in the past')
  if (publishAt > yearsLater(now))
    throw refused(
      `The publish time is more than ${YEARS_AHEAD} years ahead.`,
      `is more than ${YEARS_AHEAD} years ahead`,
    )
  return publishAt < now ? now : publishAt
}

function refused(message: string, issue: string): AppError {
  return new AppError('validation_failed', message, {
    details: { issues: [{ path: 'publishAt', message: issue }] },
  })
}

function yearsLater(now: string): string {
  const later = new Date(now)
  later.setUTCFullYear(later.getUTCFullYear() + YEARS_AHEAD)
  return later.toISOString()
}
