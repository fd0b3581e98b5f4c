import { getNodeAutoInstrumentations } from '@opentelemetry/auto-instrumentations-node'
import { NodeSDK } from '@opentelemetry/sdk-node'

/**
 * Sends spans to `OTEL_EXPORTER_OTLP_ENDPOINT`, in the background and in batches. Answers how to stop that. Spans that
 * nobody takes wait in a queue of 2048 and are dropped beyond that, so a collector that is away costs no more memory.
 *
 * Statements to Postgres are traced by an instrumentation; all other spans are made where the work is done, because
 * what instrumentations of HTTP note of an address may hold a key.
 */
export function exportTraces(service: string): () => Promise<void> {
  const sdk = new NodeSDK({
    serviceName: service,
    // Resources would tell the command line and the machine.
    autoDetectResources: false,
    instrumentations: [
      getNodeAutoInstrumentations({
        '@opentelemetry/instrumentation-pg': { requireParentSpan: true },
      }),
    ],
    // Metrics are read from this process, and logs are lines on its standard output.
    metricReaders: [],
    logRecordProcessors: [],
    // Whose trace to go on with is decided for each way in; baggage of strangers is not carried at all.
    textMapPropagator: null,
  })
  sdk.start()
  return () => sdk.shutdown()
}
