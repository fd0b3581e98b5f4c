import { IDEMPOTENCY_MIGRATION } from '@herald/event-store/idempotency-migration'
import { EVENT_STORE_MIGRATIONS } from '@herald/event-store/migrations'
import { RESTORES_MIGRATION } from '@herald/event-store/restores-migration'
import { runMigrations } from '@herald/event-store/migrate'
import { POSTS_MIGRATIONS } from './migrations/0001-posts.ts'
import { POST_MEDIA_MIGRATION } from './migrations/0002-post-media.ts'
import { POST_CHANNELS_ORGANIZATION_MIGRATION } from './migrations/0003-post-channels-organization.ts'
import { LOST_RESULTS_MIGRATION } from './migrations/0006-lost-results.ts'

/** Brings the posts database up to date. */
export function migrate(databaseUrl: string): Promise<void> {
  return runMigrations(
    databaseUrl,
    EVENT_STORE_MIGRATIONS,
    IDEMPOTENCY_MIGRATION,
    POSTS_MIGRATIONS,
    POST_MEDIA_MIGRATION,
    POST_CHANNELS_ORGANIZATION_MIGRATION,
    RESTORES_MIGRATION,
    LOST_RESULTS_MIGRATION,
  )
}
