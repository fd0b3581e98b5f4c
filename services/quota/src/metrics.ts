import { metrics } from '@opentelemetry/api'

/** What a limit was of: the requests of a key's minute, those of a month, or the posts of a month. */
export type Limit = 'requests_per_minute' | 'requests_per_month' | 'posts_per_month'

const refusals = metrics.getMeter('herald').createCounter('herald_quota_refusals_total', {
  description: 'Requests and posts that were refused because a limit of the plan was reached.',
})

/** Counts what was refused because a limit of the plan was reached. */
export function countRefusals(limit: Limit, count: number): void {
  if (count > 0) refusals.add(count, { limit })
}
