import { AppError, unavailable } from '@herald/contracts/errors'
import { sqlState } from '@herald/event-store/errors'
import { ConnectError } from '@herald/platforms/platform'

/**
 * What Postgres says when a lock was not given in time. Where many wait for one row, each step of the wait has the
 * deadline of a lock, and the deadline of the statement comes first.
 */
const TOO_LATE = new Set(['55P03', '57014'])

/** 404 for a channel that is unknown, of another organization, or disconnected: all the same from outside. */
export function notConnected(): AppError {
  return new AppError('not_found', 'There is no such connected channel.')
}

/** 409: only the account's owner can help. */
export function reauthRequired(channelId: string, cause?: unknown): AppError {
  return new AppError('reauth_required', 'The channel must be connected again.', {
    details: { channelIds: [channelId] },
    cause,
  })
}

/** 503 in place of a lock that was not given in time, because the platform is being asked for the channel. */
export function asBusy(error: unknown): unknown {
  return TOO_LATE.has(sqlState(error) ?? '') ? unavailable(error) : error
}

/** 422 at this place of the input for what the platform refuses, 503 while it cannot be asked. */
export function asRefusal(error: unknown, path: string): unknown {
  if (!(error instanceof ConnectError)) return error
  if (error.kind === 'unavailable') return unavailable(error)
  return new AppError('validation_failed', error.message, {
    details: { issues: [{ path, message: error.message }] },
    cause: error,
  })
}
