import type { Pool } from '@herald/event-store/database'
import type { Attempt, Outcome } from './attempt.ts'
import { recordPublished, reject } from './attempts.ts'
import { countOutcome } from './metrics.ts'

/** Ends an attempt as published, and counts it once. */
export async function endPublished(pool: Pool, attempt: Attempt, outcome: Outcome): Promise<void> {
  if (await recordPublished(pool, attempt, outcome)) countOutcome(attempt.platform, outcome)
}

/** Ends an attempt as rejected, and counts it once. */
export async function endRejected(pool: Pool, attempt: Attempt, outcome: Outcome): Promise<void> {
  if (await reject(pool, attempt, outcome)) countOutcome(attempt.platform, outcome)
}
