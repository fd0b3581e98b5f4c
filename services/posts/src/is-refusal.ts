import { AppError } from '@herald/contracts/errors'
import { RiderRefused } from '@herald/event-store/errors'

/** Whether a failure says that certainly nothing was written. After any other one the post may exist. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RiderRefused || (error instanceof AppError && error.status < 500)
}
