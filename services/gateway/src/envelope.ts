import { AppError, type ErrorBody, type ErrorEnvelope } from '@herald/contracts/errors'
import type { Logger } from '@herald/service/logger'
import type { NextFunction, Request } from 'express'
import type { EdgeResponse } from './locals.ts'
import { send } from './send.ts'

const RETRY_AFTER_SECONDS = 1
const RETRY_STATUSES = new Set([429, 503])

/** The one place where a failure becomes an answer (specification, "Error envelope"). */
export function errorEnvelope(logger: Logger) {
  // Express tells this middleware by its four parameters.
  return (error: unknown, request: Request, response: EdgeResponse, _next: NextFunction): void => {
    const known = toAppError(error)
    if (known && known.status >= 500) logger.warn({ error }, 'A part of Herald did not answer.')
    if (!known) logger.error({ error, route: response.locals.route }, 'A request crashed.')
    // What is already on its way, or has nobody to go to, cannot be changed.
    if (response.headersSent || !response.writable) return void request.socket.destroy()
    const { status, ...body } = known ? answerOf(known) : CRASH
    if (RETRY_STATUSES.has(status) && !response.hasHeader('Retry-After'))
      response.setHeader('Retry-After', RETRY_AFTER_SECONDS)
    send(response, status, { error: body } satisfies ErrorEnvelope)
  }
}

const CRASH: ErrorBody & { status: number } = {
  status: 500,
  code: 'internal_error',
  message: 'Something went wrong in Herald. It has been logged.',
}

function answerOf(error: AppError): ErrorBody & { status: number } {
  return { status: error.status, ...error.toBody() }
}

/** The refusal an error stands for, or nothing when it is a bug. */
export function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  // The router decodes the path's parameters, and refuses what is not percent-encoding.
  if (error instanceof URIError) return new AppError('not_found', 'There is nothing at this path.')
  return fromBodyReader(error)
}

const BODY_REFUSALS: Record<string, AppError> = {
  'entity.too.large': new AppError('validation_failed', 'The body is larger than 256 KB.', {
    status: 413,
  }),
  'encoding.unsupported': new AppError(
    'validation_failed',
    'The Content-Encoding of the body is not supported.',
    { status: 415 },
  ),
  'request.size.invalid': new AppError('validation_failed', 'The body is not as long as declared.'),
  'request.aborted': new AppError('validation_failed', 'The body ended too early.'),
}

function fromBodyReader(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined
  if ('type' in error && typeof error.type === 'string') return BODY_REFUSALS[error.type]
  const isBrokenCompression = 'code' in error && /^(Z_|ERR__ERROR_|ZSTD_)/.test(String(error.code))
  return isBrokenCompression
    ? new AppError('validation_failed', 'The body is not compressed as declared.')
    : undefined
}
