import { stopTelemetry } from '@herald/telemetry/stop'
import { createLogger, type Logger } from './logger.ts'

/** How long a process has from the signal to its end, with everything that closes in between. */
export const CLOSE_WITHIN_MS = 30_000
/** What a library left open may keep a closed process for so long. */
const LINGER_MS = 1_000

/**
 * The life of a process: starts, waits for SIGTERM or SIGINT, closes within 30 s, ends with exit code 0. A start or a
 * close that fails, a second signal, an unhandled rejection and an uncaught exception end it with exit code 1, after a
 * line in the log; whoever runs it starts it again.
 */
export async function runUntilSignal(
  start: () => Promise<{ close: () => Promise<void> }>,
  logger: Logger = createLogger({ service: 'main', level: 'info' }),
): Promise<void> {
  const crash = (error: unknown): never => {
    logger.fatal({ error }, 'The process cannot go on.')
    process.exit(1)
  }
  process.on('unhandledRejection', crash)
  process.on('uncaughtException', crash)
  const signalled = firstSignal(crash)
  const starting = start()
  starting.catch(crash)
  await signalled
  await starting.then((running) => running.close()).catch(crash)
  await stopTelemetry()
  process.exitCode = 0
  setTimeout(() => process.exit(), LINGER_MS).unref()
}

/** Resolves at the first signal; from then on a second one or the deadline ends the process. */
function firstSignal(crash: (error: Error) => never): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = () => {
      process.on('SIGTERM', () => crash(new Error('A second signal came.')))
      process.on('SIGINT', () => crash(new Error('A second signal came.')))
      setTimeout(() => crash(new Error('Closing took too long.')), CLOSE_WITHIN_MS).unref()
      resolve()
    }
    process.once('SIGTERM', onSignal)
    process.once('SIGINT', onSignal)
  })
}
