import type { LoggerService } from '@nestjs/common'
import type { Logger } from './logger.ts'

/** Passes on what Nest finds worth a warning, and drops its notes on starting up. */
export function nestLogger(logger: Logger): LoggerService {
  const pass = (level: 'warn' | 'error' | 'fatal') => (message: unknown) => {
    const error = message instanceof Error ? message : undefined
    logger[level]({ error, nest: error ? undefined : message }, 'Nest reports a problem.')
  }
  return { log() {}, warn: pass('warn'), error: pass('error'), fatal: pass('fatal') }
}
