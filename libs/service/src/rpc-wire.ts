import { AppError, ErrorBody } from '@herald/contracts/errors'
import type { CallContext } from '@herald/contracts/rpc'
import { activeTraceparent } from '@herald/telemetry/span'
import { z } from 'zod'

/** The answer to a call: an error travels as data. */
export type Reply = { ok: true; value: unknown } | RefusedReply
export type RefusedReply = {
  ok: false
  error: ErrorBody
  /** The HTTP status the error answers with. */
  status: number
  /** The value does not fit into a message of the bus; the direct road can carry it. */
  oversize?: boolean | undefined
}

const REQUEST_ID = 'Herald-Request-Id'
const TRACEPARENT = 'traceparent'

/** The headers that carry the request a call belongs to, on both roads. */
export function contextHeaders(context: CallContext | undefined): [string, string][] {
  const traceparent = activeTraceparent() ?? context?.traceparent
  const headers: [string, string][] = context ? [[REQUEST_ID, context.requestId]] : []
  if (traceparent !== undefined) headers.push([TRACEPARENT, traceparent])
  return headers
}

/** The request a call belongs to, from its headers. A call without one gets an id of its own. */
export function contextFrom(header: (name: string) => string | undefined): CallContext {
  return {
    requestId: header(REQUEST_ID) ?? crypto.randomUUID(),
    traceparent: header(TRACEPARENT),
  }
}

const ReplySchema = z.discriminatedUnion('ok', [
  // JSON leaves an undefined value out.
  z.object({ ok: z.literal(true), value: z.unknown().optional() }),
  z.object({
    ok: z.literal(false),
    error: ErrorBody,
    status: z.int(),
    oversize: z.boolean().optional(),
  }),
])

/** Reads a reply that came over either road; throws when it is none. */
export function parseReply(reply: unknown): Reply {
  const parsed = ReplySchema.parse(reply)
  return parsed.ok ? { ok: true, value: parsed.value } : parsed
}

/** The value of a reply; throws the `AppError` it carries. */
export function valueOf(reply: Reply): unknown {
  if (reply.ok) return reply.value
  const { code, message, details } = reply.error
  throw new AppError(code, message, { details, status: reply.status })
}

/** The reply of an error that callers may see. */
export function refusal(error: AppError): RefusedReply {
  return { ok: false, error: error.toBody(), status: error.status }
}

/** The reply that hides what went wrong. */
export function hiddenFailure(): RefusedReply {
  return refusal(new AppError('internal_error', 'Something went wrong.'))
}
