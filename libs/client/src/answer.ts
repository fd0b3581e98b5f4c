import { type HeraldError, heraldError, isErrorCode } from './errors.ts'
import { type RateLimit, rateLimitOf } from './rate-limit.ts'
import { retryAfterOf } from './retry-rules.ts'

/** An answer of Herald, read to its end. `body` is undefined when it is not JSON. */
export type Answer = {
  isSuccess: boolean
  status: number
  headers: Headers
  requestId: string | null
  rateLimit: RateLimit
  retryAfterMs: number | null
  body: unknown
}

/** Reads an answer to its end. Throws when it breaks off, and when it is a success that cannot be read. */
export async function readAnswer(response: Response): Promise<Answer> {
  const { ok, status, headers } = response
  const body = jsonOf(await response.text())
  if (ok && body === undefined) throw new Error(`An answer of status ${status} is not JSON.`)
  const now = Date.now()
  return {
    isSuccess: ok,
    status,
    headers,
    requestId: headers.get('x-request-id'),
    rateLimit: rateLimitOf(headers, now),
    retryAfterMs: retryAfterOf(headers, now),
    body,
  }
}

/** The error that an answer stands for. One without the envelope comes from a proxy, or is no Herald at all. */
export function errorOf(answer: Answer): HeraldError {
  const { code, message, details } = envelopeOf(answer.body)
  const { status, requestId, rateLimit, retryAfterMs } = answer
  return heraldError({
    code: isErrorCode(code) ? code : 'internal_error',
    message: typeof message === 'string' ? message : `Herald answered with status ${status}.`,
    details: isObject(details) ? details : {},
    status,
    requestId,
    rateLimit,
    retryAfterMs,
  })
}

function envelopeOf(body: unknown): Record<string, unknown> {
  return isObject(body) && isObject(body.error) ? body.error : {}
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
