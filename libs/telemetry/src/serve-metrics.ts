import { metrics } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { measureEventLoop } from './event-loop.ts'
import { complain } from './complain.ts'

export type MetricsOptions = {
  /** The label `service` of every metric. */
  service: string
  host: string
  port: number
}

/**
 * Serves what this process measures at `GET /metrics`, in the Prometheus text format. Answers how to stop that. When
 * the port cannot be had, it says so on the standard error and the process goes on unmeasured.
 */
export async function serveMetrics({
  service,
  host,
  port,
}: MetricsOptions): Promise<() => Promise<void>> {
  const exporter = new PrometheusExporter({
    preventServerStart: true,
    withResourceConstantLabels: /^service$/,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  })
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ service }),
    readers: [exporter],
  })
  metrics.setGlobalMeterProvider(provider)
  measureEventLoop()
  const server = createServer({ requestTimeout: 5_000 }, (request, response) => {
    if (request.method === 'GET' && request.url === '/metrics')
      return exporter.getMetricsRequestHandler(request, response)
    response.writeHead(404).end()
  })
  // A process that has nothing else to do may end.
  server.unref()
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    complain('The metrics cannot be served.', error)
  }
  return async () => {
    server.close()
    server.closeAllConnections()
    await provider.shutdown()
  }
}
