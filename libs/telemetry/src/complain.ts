const ERROR_LEVEL = 50

/** Says on the standard error, as a line like those of the log, that telemetry does not work. */
export function complain(msg: string, error: unknown): void {
  const line = { level: ERROR_LEVEL, time: new Date().toISOString(), msg, error: String(error) }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}
