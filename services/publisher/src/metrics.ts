import { Platform } from '@herald/contracts/platforms'
import type { Pool } from '@herald/event-store/database'
import { observeGauge } from '@herald/telemetry/observe-gauge'
import { metrics } from '@opentelemetry/api'
import type { Outcome } from './attempt.ts'

const meter = metrics.getMeter('herald')

const lateness = meter.createHistogram('herald_publish_lateness_seconds', {
  description: 'From the due time of a post to the call that made it live on a channel.',
  advice: {
    explicitBucketBoundaries: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600],
  },
})
const outcomes = meter.createCounter('herald_publish_outcomes_total', {
  description: 'How the work on a post and channel ended.',
})
const unknown = meter.createCounter('herald_publish_unknown_total', {
  description: 'Calls to platforms of which nobody knew at first whether they made the post live.',
})

/** Counts how the work on a post and channel ended, and how late the post was if it is live. */
export function countOutcome(platform: string, outcome: Outcome): void {
  if (outcome.outcome === 'published') {
    outcomes.add(1, { platform, outcome: 'published' })
    // A clock that was set back makes no post early.
    lateness.record(Math.max(0, outcome.latenessMs) / 1_000, { platform })
    return
  }
  const isUnconfirmed = outcome.errorCode === 'unconfirmed'
  outcomes.add(1, { platform, outcome: isUnconfirmed ? 'unconfirmed' : 'rejected' })
}

/** Counts calls whose outcome nobody knows yet. */
export function countUnknown(platform: string): void {
  unknown.add(1, { platform })
}

// A series that is there from the beginning: else the first unknown outcome would be no increase.
for (const platform of Platform.options) {
  for (const outcome of ['published', 'rejected', 'unconfirmed'])
    outcomes.add(0, { platform, outcome })
  unknown.add(0, { platform })
}

const STATES = ['claimed', 'calling', 'unknown'] as const

/** Measures the attempts that have not ended. Returns how to stop that. */
export function observeAttempts(pool: Pool): () => void {
  return observeGauge({
    name: 'herald_attempts',
    description: 'Attempts that have not ended, by their state.',
    read: async () => {
      const { rows } = await pool.query<{ state: string; count: number }>(
        `select state, count(*)::int as count from attempts
         where state in ('claimed', 'calling', 'unknown') group by state`,
      )
      const counts = new Map(rows.map(({ state, count }) => [state, count]))
      return STATES.map((state) => ({ value: counts.get(state) ?? 0, labels: { state } }))
    },
  })
}
