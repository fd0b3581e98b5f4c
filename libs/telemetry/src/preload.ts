/**
 * What a process measures and traces begins here, before anything else is loaded: `node --import` this file. Without
 * `METRICS_PORT` and `OTEL_EXPORTER_OTLP_ENDPOINT` nothing of OpenTelemetry's SDK is loaded, and every instrument and
 * span of the code does nothing.
 */
import { register } from 'node:module'
import { onStop } from './stop.ts'

const { METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT, INTERNAL_HOST, HOST, SERVICE } = process.env
const service = SERVICE ?? 'herald'

if (METRICS_PORT) {
  const { serveMetrics } = await import('./serve-metrics.ts')
  const host = INTERNAL_HOST ?? HOST ?? '127.0.0.1'
  onStop(await serveMetrics({ service, host, port: Number(METRICS_PORT) }))
}

if (OTEL_EXPORTER_OTLP_ENDPOINT) {
  // The driver of Postgres can be instrumented only where this stands before it is loaded.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
  process.env['OTEL_NODE_ENABLED_INSTRUMENTATIONS'] = 'pg'
  const { exportTraces } = await import('./export-traces.ts')
  onStop(exportTraces(service))
}
