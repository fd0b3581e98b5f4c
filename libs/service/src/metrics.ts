import { AppError } from '@herald/contracts/errors'
import { observeGauge } from '@herald/telemetry/observe-gauge'
import { metrics } from '@opentelemetry/api'

const meter = metrics.getMeter('herald')
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const served = meter.createHistogram('herald_rpc_server_duration_seconds', {
  description: 'Calls of other services, from their arrival to the answer.',
  advice: { explicitBucketBoundaries: CALL_SECONDS },
})
const made = meter.createHistogram('herald_rpc_client_duration_seconds', {
  description: 'Calls to other services, from the first try to the answer.',
  advice: { explicitBucketBoundaries: CALL_SECONDS },
})
const handled = meter.createHistogram('herald_event_duration_seconds', {
  description: 'Tries to handle an event.',
  advice: { explicitBucketBoundaries: CALL_SECONDS },
})
const deadLetters = meter.createCounter('herald_dead_letters_total', {
  description: 'Events that a consumer gave up.',
})

/** Which call: `herald.rpc.<service>.<operation>`. Its operation is one of a contract, so there are few of them. */
export type Called = { service: string; operation: string }

/** Measures a call that this process answers. */
export function measureServed(called: Called): (error?: unknown) => void {
  return measure((seconds, outcome) => served.record(seconds, labelsOf(called, outcome)))
}

/** Measures a call that this process makes. */
export function measureMade(called: Called): (error?: unknown) => void {
  return measure((seconds, outcome) => made.record(seconds, labelsOf(called, outcome)))
}

/** Measures one try of a consumer to handle an event. */
export function measureHandled(consumer: string): (error?: unknown) => void {
  return measure((seconds, outcome) => handled.record(seconds, { consumer, outcome }))
}

/** Counts an event that went to the dead letters. */
export function countDeadLetter(consumer: string): void {
  deadLetters.add(1, { consumer })
}

/** Measures whether a part that the service depends on is reached; a check that fails or hangs is a no. */
export function observeDependency(
  dependency: 'nats' | 'postgres',
  check: () => boolean | Promise<boolean>,
): () => void {
  return observeGauge({
    name: 'herald_dependency_ready',
    description: 'Whether a part that the service depends on is reached: 1 or 0.',
    read: async () => [{ value: (await check()) ? 1 : 0, labels: { dependency } }],
  })
}

/** Measures how many events a durable consumer has not taken, and lets its dead letters be counted from none. */
export function observePending(consumer: string, read: () => Promise<number>): () => void {
  deadLetters.add(0, { consumer })
  return observeGauge({
    name: 'herald_consumer_pending_events',
    description: 'Events in the stream that a durable consumer has not taken.',
    read: async () => [{ value: await read(), labels: { consumer } }],
  })
}

function measure(record: (seconds: number, outcome: string) => void): (error?: unknown) => void {
  const startedAt = performance.now()
  return (error) => record((performance.now() - startedAt) / 1_000, outcomeOf(error))
}

/** A refusal is an answer; that something is away or broken is none. */
function outcomeOf(error: unknown): string {
  if (error === undefined) return 'ok'
  if (!(error instanceof AppError)) return 'failed'
  if (error.status === 503) return 'unavailable'
  return error.status >= 500 ? 'failed' : 'refused'
}

function labelsOf({ service, operation }: Called, outcome: string): Record<string, string> {
  return { rpc_service: service, rpc_method: operation, outcome }
}
