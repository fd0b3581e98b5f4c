import type { ErrorCode } from '@herald/contracts/errors'
import type { RateLimit } from './rate-limit.ts'

/** What an answer of Herald that is not a success says. */
export type Refusal = {
  code: ErrorCode
  message: string
  status: number
  details: Record<string, unknown>
  /** Names the request in Herald's logs. */
  requestId: string | null
  rateLimit: RateLimit
  /** How long Herald asks to wait, in milliseconds. */
  retryAfterMs: number | null
}

/** Herald refused a request. There is one subclass per code; the message is a sentence for people. */
export class HeraldError extends Error {
  override name = 'HeraldError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Record<string, unknown>
  readonly requestId: string | null
  readonly rateLimit: RateLimit
  readonly retryAfterMs: number | null

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.code = refusal.code
    this.status = refusal.status
    this.details = refusal.details
    this.requestId = refusal.requestId
    this.rateLimit = refusal.rateLimit
    this.retryAfterMs = refusal.retryAfterMs
  }
}

/** The key is missing, wrong, expired or revoked. */
export class Unauthorized extends HeraldError {
  override name = 'Unauthorized'
}
/** The key may not do this, or not with these channels. */
export class ForbiddenScope extends HeraldError {
  override name = 'ForbiddenScope'
}
/** The organization's plan has no API access. */
export class PlanRequired extends HeraldError {
  override name = 'PlanRequired'
}
/** The owner of a channel must connect it again. */
export class ReauthRequired extends HeraldError {
  override name = 'ReauthRequired'
}
/** There is no such thing, or the key may not see it. */
export class NotFound extends HeraldError {
  override name = 'NotFound'
}
/** The request is not valid, or breaks a rule of a platform; `details` says which. */
export class ValidationFailed extends HeraldError {
  override name = 'ValidationFailed'
}
/** This month's posts are used up, or the storage is full. */
export class LimitReached extends HeraldError {
  override name = 'LimitReached'
}
/** The same post was created a moment ago: `details.postId`. */
export class DuplicatePost extends HeraldError {
  override name = 'DuplicatePost'
}
/** The state of the post or file does not allow this. */
export class Conflict extends HeraldError {
  override name = 'Conflict'
}
/** Too many requests in a minute; `details.resetsAt` says when the next one passes. */
export class RateLimited extends HeraldError {
  override name = 'RateLimited'
}
/** This month's requests are used up; `details.resetsAt` says when the next month begins. */
export class QuotaExceeded extends HeraldError {
  override name = 'QuotaExceeded'
}
/** Herald failed (status 500), or a part of it does not answer (503). */
export class InternalError extends HeraldError {
  override name = 'InternalError'
}

const CLASSES: Record<ErrorCode, typeof HeraldError> = {
  unauthorized: Unauthorized,
  forbidden_scope: ForbiddenScope,
  plan_required: PlanRequired,
  reauth_required: ReauthRequired,
  not_found: NotFound,
  validation_failed: ValidationFailed,
  limit_reached: LimitReached,
  duplicate_post: DuplicatePost,
  conflict: Conflict,
  rate_limited: RateLimited,
  quota_exceeded: QuotaExceeded,
  internal_error: InternalError,
}

/** The error for a refusal, of the class of its code. */
export function heraldError(refusal: Refusal): HeraldError {
  return new CLASSES[refusal.code](refusal)
}

/** Whether this is one of the codes that Herald answers with. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(CLASSES, code)
}

/**
 * There is no whole, readable answer: `cause` says why. A request that changes something may have been carried out,
 * unless `isUnsent`.
 */
export class HeraldUnreachable extends Error {
  override name = 'HeraldUnreachable'
  readonly isUnsent: boolean

  constructor(message: string, options: { isUnsent: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.isUnsent = options.isUnsent
  }
}

/** The storage did not take the bytes of a file. `status` is its answer's; null when there was none. */
export class UploadFailed extends Error {
  override name = 'UploadFailed'
  readonly status: number | null
  readonly mediaId: string

  constructor(
    message: string,
    options: { status: number | null; mediaId: string; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = options.status
    this.mediaId = options.mediaId
  }
}
