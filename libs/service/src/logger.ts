import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { activeSpan } from '@herald/telemetry/span'
import { currentContext } from './context.ts'

export type { Logger } from 'pino'

const SECRET_NAMES = [
  'authorization',
  'Authorization',
  'password',
  'token',
  'accessToken',
  'refreshToken',
  'secret',
  'credentials',
  'apiKey',
]
/** How deep below a logged object a secret is looked for. */
const DEPTHS = ['', '*.', '*.*.', '*.*.*.']

export type LoggerOptions = {
  service: string
  /** `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. */
  level: string
  /** Where the lines go; the standard output unless said otherwise. */
  destination?: DestinationStream | undefined
}

/**
 * A logger that writes JSON lines: ISO time, the service's name, the request, organization and span of the present context.
 * Fields named like secrets are hidden; an error is logged under the key `error`, with its stack and causes.
 */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    mixin: contextFields,
    redact: DEPTHS.flatMap((depth) => SECRET_NAMES.map((name) => `${depth}${name}`)),
    errorKey: 'error',
    serializers: { error: describe },
  }
  return destination ? pino(options, destination) : pino(options)
}

function contextFields(): Record<string, string> {
  const { requestId, organizationId } = currentContext() ?? {}
  const span = activeSpan()
  return {
    ...(requestId !== undefined && { requestId }),
    ...(organizationId !== undefined && { organizationId }),
    ...(span && { trace_id: span.traceId, span_id: span.spanId }),
  }
}

/** What a log tells of an error: drivers hang whole connections on theirs, with all that is in them. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const code = 'code' in error ? { code: error.code } : {}
  return {
    type: name,
    message,
    stack,
    ...code,
    ...(cause !== undefined && { cause: describe(cause) }),
  }
}
