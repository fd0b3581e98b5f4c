import type { ErrorBody } from '@herald/contracts/errors'
import { AppError, ErrorCode } from '@herald/contracts/errors'
import type { CallContext } from '@herald/contracts/rpc'
import { z } from 'zod'

/** The answer to a call: an error travels as data. */
export type Reply = { ok: true; value: unknown } | { ok: false; error: ErrorBody; status: number }

/** Where an operation is called: `herald.rpc.<service>.<operation>`. */
export function rpcSubject(service: string, operation: string): string {
  return `herald.rpc.${service}.${operation}`
}

const REQUEST_ID = 'herald-request-id'
const TRACEPARENT = 'traceparent'

/** The headers that carry the request a call belongs to, on both roads. */
export function contextHeaders(context: CallContext | undefined): [string, string][] {
  if (!context) return []
  const { requestId, traceparent } = context
  return traceparent === undefined
    ? [[REQUEST_ID, requestId]]
    : [
        [REQUEST_ID, requestId],
        [TRACEPARENT, traceparent],
      ]
}

/** The request a call belongs to, from its headers. A call without one gets an id of its own. */
export function contextFrom(header: (name: string) => string | undefined): CallContext {
  return {
    requestId: header(REQUEST_ID) ?? crypto.randomUUID(),
    traceparent: header(TRACEPARENT),
  }
}

const ReplySchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      code: ErrorCode,
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
    status: z.int(),
  }),
])

/** The value of a reply; throws the `AppError` it carries. */
export function valueOf(reply: unknown): unknown {
  const parsed = ReplySchema.parse(reply)
  if (parsed.ok) return parsed.value
  const { code, message, details } = parsed.error
  throw new AppError(code, message, { details, status: parsed.status })
}
