const STOP_WITHIN_MS = 2_000

const stops: (() => Promise<void>)[] = []

/** Has something done when the process ends, after everything else of it has. */
export function onStop(stop: () => Promise<void>): void {
  stops.push(stop)
}

/**
 * Sends what was not sent yet and ends telemetry. Takes 2 s at most and never rejects: what nobody takes by then is
 * given up.
 */
export async function stopTelemetry(): Promise<void> {
  if (stops.length === 0) return
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, STOP_WITHIN_MS)
  await Promise.race([Promise.allSettled(stops.splice(0).map((stop) => stop())), late.promise])
  clearTimeout(timer)
}
