import type { Pool } from '@herald/event-store/database'
import { acrossOrganizations } from '@herald/event-store/organization'
import { observeGauge } from '@herald/telemetry/observe-gauge'

/** Measures the posts that were due more than a minute ago and are not begun. Returns how to stop that. */
export function observeOverduePosts(pool: Pool): () => void {
  return observeGauge({
    name: 'herald_posts_overdue',
    description: 'Posts that were due more than 60 s ago and are not begun.',
    read: async () => {
      const { rows } = await acrossOrganizations(pool).query<{ overdue: number }>(
        `select count(*)::int as overdue from due where publish_at < now() - interval '60 seconds'`,
      )
      return [{ value: rows[0]?.overdue ?? 0 }]
    },
  })
}
