import { unavailable } from '@herald/contracts/errors'
import type { Logger } from '@herald/service/logger'
import type { Middleware } from './locals.ts'
import { send } from './send.ts'

const RETRY_AFTER_SECONDS = 1

/**
 * Refuses requests with 503 while the process cannot keep up, before anything is done for them: what is under way ends
 * sooner, and nobody waits for an answer that comes too late. Overload is told once in the log, not for each request.
 */
export function shedLoad({
  isOverloaded,
  logger,
}: {
  isOverloaded: () => boolean
  logger: Logger
}): Middleware {
  let isShedding = false
  return (_request, response, next) => {
    const was = isShedding
    isShedding = isOverloaded()
    if (!isShedding) return next()
    if (!was) logger.warn('Requests are refused until the process keeps up again.')
    response.setHeader('Retry-After', RETRY_AFTER_SECONDS)
    const refusal = unavailable()
    send(response, refusal.status, { error: refusal.toBody() })
  }
}
