import type { Pool } from '@herald/event-store/database'
import type { Attempt, Outcome } from './attempt.ts'
import { HELD } from './attempts.ts'

export type EarlierAttempt = Attempt & {
  state: 'claimed' | 'calling' | 'unknown' | 'published' | 'rejected'
  outcome: Outcome | null
}

/** The attempts of the same post and channel that an attempt repeats, oldest first. */
export async function findEarlier(
  pool: Pool,
  { post_id, channel_id, generation }: Attempt,
): Promise<EarlierAttempt[]> {
  const { rows } = await pool.query<EarlierAttempt>(
    `select ${HELD}, state, outcome from attempts
     where post_id = $1 and channel_id = $2 and generation < $3 order by generation`,
    [post_id, channel_id, generation],
  )
  return rows
}
