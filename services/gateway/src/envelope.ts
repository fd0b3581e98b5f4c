import { AppError, type ErrorEnvelope } from '@herald/contracts/errors'
import type { Logger } from '@herald/service/logger'
import type { ServerResponse } from 'node:http'

const RETRY_AFTER_SECONDS = 2

/**
 * Writes the one error answer there is: the envelope of the specification and nothing else. An error that is not an
 * `AppError` is a bug: it is logged with its stack and answered with a fixed text.
 */
export function sendError(response: ServerResponse, error: unknown, logger: Logger): void {
  const known = toAppError(error, logger)
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (known.status === 503 || known.status === 429)
    response.setHeader('Retry-After', RETRY_AFTER_SECONDS)
  sendJson(response, known.status, { error: known.toBody() } satisfies ErrorEnvelope)
}

/** Writes a JSON answer. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  response.end(text)
}

function toAppError(error: unknown, logger: Logger): AppError {
  if (error instanceof AppError) return error
  // The router throws this for a path with a broken percent-encoding: no such thing is there.
  if (error instanceof URIError || (error instanceof Error && 'status' in error && error.status === 400))
    return new AppError('not_found', 'There is nothing at this address.')
  logger.error({ error }, 'A request failed.')
  return new AppError('internal_error', 'Something went wrong on our side.')
}
