import { runMigrations } from '@herald/event-store/migrate'
import { PUBLISHER_MIGRATIONS } from './migrations/0001-attempts.ts'

/** Brings the publisher database up to date. */
export function migrate(databaseUrl: string): Promise<void> {
  return runMigrations(databaseUrl, PUBLISHER_MIGRATIONS)
}
