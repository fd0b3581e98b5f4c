import { EVENT_STORE_MIGRATIONS } from '@herald/event-store/migrations'
import { runMigrations } from '@herald/event-store/migrate'
import { MEDIA_MIGRATIONS } from './migrations/0001-media.ts'

/** Brings the media database up to date. */
export function migrate(databaseUrl: string): Promise<void> {
  return runMigrations(databaseUrl, EVENT_STORE_MIGRATIONS, MEDIA_MIGRATIONS)
}
