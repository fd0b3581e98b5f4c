/**
 * What a process measures and traces begins here, before anything else is loaded: `node --import` this file. Without
 * `METRICS_PORT` nothing of OpenTelemetry's SDK is loaded, and every instrument of the code does nothing.
 */
import { onStop } from './stop.ts'

const { METRICS_PORT, INTERNAL_HOST, HOST, SERVICE = 'herald' } = process.env

if (METRICS_PORT) {
  const { serveMetrics } = await import('./serve-metrics.ts')
  const host = INTERNAL_HOST ?? HOST ?? '127.0.0.1'
  onStop(await serveMetrics({ service: SERVICE, host, port: Number(METRICS_PORT) }))
}
