import { IDEMPOTENCY_MIGRATION } from '@herald/event-store/idempotency-migration'
import { EVENT_STORE_MIGRATIONS } from '@herald/event-store/migrations'
import { runMigrations } from '@herald/event-store/migrate'
import { MEDIA_MIGRATIONS } from './migrations/0001-media.ts'
import { RENDITIONS_MIGRATION } from './migrations/0002-renditions.ts'

/** Brings the media database up to date. */
export function migrate(databaseUrl: string): Promise<void> {
  return runMigrations(
    databaseUrl,
    EVENT_STORE_MIGRATIONS,
    IDEMPOTENCY_MIGRATION,
    MEDIA_MIGRATIONS,
    RENDITIONS_MIGRATION,
  )
}
