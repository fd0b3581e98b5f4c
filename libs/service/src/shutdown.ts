const CLOSE_WITHIN_MS = 30_000

/**
 * The life of a process: starts, waits for SIGTERM or SIGINT, closes within 30 s, exits. A start that fails, an
 * unhandled rejection and an uncaught exception end the process with exit code 1; whoever runs it starts it again.
 */
export async function runUntilSignal(
  start: () => Promise<{ close: () => Promise<void> }>,
): Promise<void> {
  process.on('unhandledRejection', crash)
  process.on('uncaughtException', crash)
  const signalled = new Promise<void>((resolve) => {
    process.on('SIGTERM', () => resolve())
    process.on('SIGINT', () => resolve())
  })
  const starting = start()
  const running = await starting.catch(crash)
  await signalled
  const timer = setTimeout(() => crash(new Error('Closing took too long.')), CLOSE_WITHIN_MS)
  await running.close().catch(crash)
  clearTimeout(timer)
  // What a library may have left open must not keep the process.
  process.exit(0)
}

function crash(error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${text}\n`)
  process.exit(1)
}
