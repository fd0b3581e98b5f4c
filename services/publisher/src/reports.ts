import type { Pool } from '@herald/event-store/database'
import type { AttemptKey, Outcome } from './attempt.ts'

export type Report = AttemptKey & {
  organization_id: string
  outcome: Outcome
  traceparent: string | null
}

/** Takes ended attempts that the posts service has not acknowledged; each comes again after `againSeconds`. */
export async function takeReports(
  pool: Pool,
  limit: number,
  againSeconds: number,
): Promise<Report[]> {
  const { rows } = await pool.query<Report>({
    name: 'take_reports',
    text: `with next as materialized (
             select post_id, channel_id, generation from attempts
             where next_report_at <= now() order by next_report_at limit $1 for update skip locked)
           update attempts a set next_report_at = clock_timestamp() + make_interval(secs => $2)
           from next n
           where (a.post_id, a.channel_id, a.generation) = (n.post_id, n.channel_id, n.generation)
           returning a.post_id, a.channel_id, a.generation, a.organization_id, a.outcome, a.traceparent`,
    values: [limit, againSeconds],
  })
  return rows
}

/** The posts service has this outcome. An outcome that changed meanwhile stays to be reported. */
export async function markReported(pool: Pool, report: Report): Promise<void> {
  await pool.query(
    `update attempts set next_report_at = null
     where post_id = $1 and channel_id = $2 and generation = $3 and outcome = $4::jsonb`,
    [report.post_id, report.channel_id, report.generation, JSON.stringify(report.outcome)],
  )
}

/** Forgets attempts that ended, and were reported, long ago. */
export async function forgetOldAttempts(pool: Pool): Promise<void> {
  await pool.query(
    `delete from attempts where state in ('published', 'rejected') and next_report_at is null
     and created_at < now() - interval '60 days'`,
  )
}
