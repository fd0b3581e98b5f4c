import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { currentContext } from './context.ts'

export type { Logger } from 'pino'

const SECRET_NAMES = ['authorization', 'password', 'token', 'secret', 'credentials', 'accessToken']

export type LoggerOptions = {
  service: string
  /** `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. */
  level: string
  destination?: DestinationStream
}

/** A logger that writes JSON lines with the service's name and the id of the present request, and no secrets. */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    mixin: () => {
      const context = currentContext()
      return context ? { requestId: context.requestId } : {}
    },
    redact: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    errorKey: 'error',
  }
  return destination ? pino(options, destination) : pino(options)
}
