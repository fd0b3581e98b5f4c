import { z } from 'zod'

/** The public error codes and the HTTP status each one answers with (specification, "Errors"). */
export const HTTP_STATUS = {
  unauthorized: 401,
  forbidden_scope: 403,
  plan_required: 403,
  reauth_required: 409,
  not_found: 404,
  validation_failed: 422,
  limit_reached: 409,
  duplicate_post: 409,
  conflict: 409,
  rate_limited: 429,
  quota_exceeded: 429,
  internal_error: 500,
} as const

/** One of the codes of the specification's error list. */
export const ErrorCode = z.enum(Object.keys(HTTP_STATUS) as [keyof typeof HTTP_STATUS])
export type ErrorCode = z.infer<typeof ErrorCode>

/** What stands inside the error envelope: a code, a sentence for a person, and optional facts. */
export const ErrorBody = z.strictObject({
  code: ErrorCode,
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type ErrorBody = z.infer<typeof ErrorBody>

/** The body of every answer that is not a success (specification, "Error envelope"). */
export const ErrorEnvelope = z.strictObject({ error: ErrorBody })
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>

export type AppErrorOptions = {
  details?: Record<string, unknown> | undefined
  /** The HTTP status where it is not the code's own, such as 415 for `validation_failed`. */
  status?: number | undefined
  cause?: unknown
}

/** An expected refusal: its message is safe to show to a caller. Anything else thrown is a bug. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined
  /** The HTTP status this error answers with. */
  readonly status: number

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details
    this.status = options.status ?? HTTP_STATUS[code]
  }

  /** The contents of the error envelope. */
  toBody(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      ...(this.details && { details: this.details }),
    }
  }
}

/** A part of Herald does not answer: 503, to be tried again (specification code `internal_error`). */
export function unavailable(cause?: unknown): AppError {
  return new AppError('internal_error', 'Herald is unavailable right now. Try again shortly.', {
    status: 503,
    cause,
  })
}
