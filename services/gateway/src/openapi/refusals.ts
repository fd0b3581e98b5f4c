import type { Scope } from '@herald/contracts/accounts'
import { type ErrorBody, type ErrorEnvelope, HTTP_STATUS } from '@herald/contracts/errors'
import type { Route } from '@herald/contracts/http'
import type { Features } from './features.ts'
import type { AnyOperationDoc } from './operation-doc.ts'

/** One way of not succeeding: when it happens, and the envelope of an example. */
export type Refusal = ErrorBody & {
  /** Where it is not the code's own. */
  status?: number
  when: string
}

export function statusOf({ code, status }: Refusal): number {
  return status ?? HTTP_STATUS[code]
}

export function envelopeOf({ code, message, details }: Refusal): ErrorEnvelope {
  return { error: { code, message, ...(details && { details }) } }
}

/** What any request can come to, whatever its route. */
export const EVERYWHERE: Record<string, Refusal> = {
  notHttp: {
    status: 400,
    code: 'validation_failed',
    when: 'The request is not valid HTTP/1.1.',
    message: 'The request is not valid HTTP/1.1.',
  },
  unauthorized: {
    code: 'unauthorized',
    when: 'The API key is missing, invalid, expired or revoked.',
    message: 'A valid API key is needed: Authorization: Bearer <key>.',
  },
  wrongMethod: {
    status: 405,
    code: 'validation_failed',
    when: 'The path does not take the method, HEAD and OPTIONS included; `Allow` names those it takes.',
    message: 'This path does not take this method.',
  },
  tooSlow: {
    status: 408,
    code: 'validation_failed',
    when: 'The headers took longer than 10 seconds, or the whole request longer than 30.',
    message: 'The request did not arrive in time.',
  },
  unknownExpectation: {
    status: 417,
    code: 'validation_failed',
    when: 'The header `Expect` asks for something other than `100-continue`.',
    message: 'The Expect header asks for the unknown.',
  },
  rateLimited: {
    code: 'rate_limited',
    when: 'The key made too many requests in the last minute. `details.resetsAt` says when the next one passes.',
    message: 'Too many requests. Try again shortly.',
    details: { resetsAt: '2026-11-21T09:30:01.000Z' },
  },
  quotaExceeded: {
    code: 'quota_exceeded',
    when: "The organization's requests of this calendar month (UTC) are used up.",
    message: 'The monthly quota of requests is used up.',
    details: { resetsAt: '2026-12-01T00:00:00.000Z' },
  },
  largeHeaders: {
    status: 431,
    code: 'validation_failed',
    when: 'The headers are larger than 16 KB.',
    message: 'The headers are larger than 16 KB.',
  },
  crashed: {
    code: 'internal_error',
    when: 'A bug in Herald; it has been logged under the `X-Request-Id`.',
    message: 'Something went wrong in Herald. It has been logged.',
  },
  unavailable: {
    status: 503,
    code: 'internal_error',
    when: 'A part of Herald is unavailable. Try again after `Retry-After` seconds.',
    message: 'Herald is unavailable right now. Try again shortly.',
  },
}

const OF_BODIES: Record<string, Refusal> = {
  largeBody: {
    status: 413,
    code: 'validation_failed',
    when: 'The body is larger than 256 KB.',
    message: 'The body is larger than 256 KB.',
  },
  notJson: {
    status: 415,
    code: 'validation_failed',
    when: 'The body is not declared as `application/json` in UTF-8.',
    message: 'The body must be application/json in UTF-8.',
  },
  unknownEncoding: {
    status: 415,
    code: 'validation_failed',
    when: 'The `Content-Encoding` of the body is not supported.',
    message: 'The Content-Encoding of the body is not supported.',
  },
  brokenJson: {
    code: 'validation_failed',
    when: 'The body is not valid JSON.',
    message: 'The body is not valid JSON.',
  },
  invalidBody: {
    code: 'validation_failed',
    when: 'A field is missing, unknown or wrong; `details.issues` names up to 20 places.',
    message: 'The body is not valid.',
    details: {
      issues: [{ path: 'content', message: 'Invalid input: expected string, received number' }],
    },
  },
}

const OF_QUERIES: Record<string, Refusal> = {
  invalidQuery: {
    code: 'validation_failed',
    when: 'A parameter is unknown, wrong or given twice; `details.issues` names up to 20 places.',
    message: 'The query is not valid.',
    details: { issues: [{ path: 'limit', message: 'must be an integer from 1 to 100' }] },
  },
}

const OF_IDEMPOTENCY_KEYS: Record<string, Refusal> = {
  requestUnderWay: {
    code: 'conflict',
    when: 'A request with this `Idempotency-Key` is still under way; `details.reason` is `idempotency_in_progress`. Try again shortly.',
    message: 'A request with this Idempotency-Key is still under way.',
    details: { reason: 'idempotency_in_progress' },
  },
  idempotencyKeyReused: {
    code: 'validation_failed',
    when: 'The `Idempotency-Key` was used within 24 hours for another request.',
    message: 'This Idempotency-Key was used for another request.',
    details: { reason: 'idempotency_key_reused' },
  },
  invalidIdempotencyKey: {
    code: 'validation_failed',
    when: 'The `Idempotency-Key` is given twice, or is not 1 to 255 printable ASCII characters.',
    message: 'The Idempotency-Key is not valid.',
    details: {
      issues: [{ path: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' }],
    },
  },
}

const OF_IF_MATCH: Record<string, Refusal> = {
  otherVersion: {
    status: 412,
    code: 'conflict',
    when: 'The resource is no longer what `If-Match` names; nothing was changed. `details.reason` is `etag_mismatch`.',
    message: 'It has changed since you read it.',
    details: { reason: 'etag_mismatch' },
  },
  unreadableIfMatch: {
    code: 'validation_failed',
    when: 'The `If-Match` header is neither `*` nor a list of entity tags.',
    message: 'The If-Match header is not a list of entity tags.',
    details: {
      issues: [{ path: 'If-Match', message: 'must be * or tags in double quotes' }],
    },
  },
}

/** Every refusal a route can answer with, by the name of its example. */
export function refusalsOf(
  route: Route,
  doc: AnyOperationDoc,
  features: Features,
): Record<string, Refusal> {
  const changes = route.method === 'PATCH' || route.method === 'DELETE'
  return {
    ...EVERYWHERE,
    ...ofScope(route.scope),
    ...(route.body && OF_BODIES),
    ...(route.query && OF_QUERIES),
    ...(features.idempotencyKeys && doc.takesIdempotencyKey && OF_IDEMPOTENCY_KEYS),
    ...(features.etags && doc.hasEtag && changes && OF_IF_MATCH),
    ...doc.refusals,
  }
}

function ofScope(scope: Scope): Record<string, Refusal> {
  return {
    missingScope: {
      code: 'forbidden_scope',
      when: `The API key lacks the scope \`${scope}\`.`,
      message: `The API key lacks the scope ${scope}.`,
    },
    planWithoutApi: {
      code: 'plan_required',
      when: "The organization's plan has no API access.",
      message: 'The plan of this organization has no API access.',
    },
  }
}
