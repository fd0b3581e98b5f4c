import { metrics } from '@opentelemetry/api'
import type { EdgeResponse } from './locals.ts'
import { quotaOutageCounts } from './quota-outage.ts'

const meter = metrics.getMeter('herald')
const HEALTH_ROUTES = new Set(['/healthz', '/readyz'])
const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PUT'])

const requests = meter.createHistogram('herald_http_server_request_duration_seconds', {
  description: 'Requests to the API, from their head to the end of the answer.',
  advice: {
    explicitBucketBoundaries: [
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10,
    ],
  },
})

meter
  .createObservableCounter('herald_quota_outages_total', {
    description: 'How often the quota service was found to be away.',
  })
  .addCallback((result) => result.observe(quotaOutageCounts.outages))

meter
  .createObservableCounter('herald_quota_outage_requests_total', {
    description: 'Requests that came while the quota service was away.',
  })
  .addCallback((result) => {
    result.observe(quotaOutageCounts.letThrough, { answer: 'let_through' })
    result.observe(quotaOutageCounts.refused, { answer: 'refused' })
  })

/** Measures a request when its answer has ended. One whose client went away before has the status `none`. */
export function recordRequest(method: string, response: EdgeResponse, seconds: number): void {
  const { route = 'unknown' } = response.locals
  if (HEALTH_ROUTES.has(route)) return
  requests.record(seconds, {
    http_request_method: METHODS.has(method) ? method : 'other',
    http_route: route.replaceAll(/:(\w+)/g, '{$1}'),
    http_response_status_code: response.headersSent ? String(response.statusCode) : 'none',
  })
}
