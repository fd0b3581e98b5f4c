import { RESTORES_MIGRATION } from '@herald/event-store/restores-migration'
import { runMigrations } from '@herald/event-store/migrate'
import { PUBLISHER_MIGRATIONS } from './migrations/0001-attempts.ts'
import { FILES_MIGRATION } from './migrations/0002-files.ts'
import { RETRIES_MIGRATION } from './migrations/0003-retries.ts'
import { TURNS_MIGRATION } from './migrations/0004-turns.ts'
import { LOST_CALLS_MIGRATION } from './migrations/0006-lost-calls.ts'

/** Brings the publisher database up to date. */
export function migrate(databaseUrl: string): Promise<void> {
  return runMigrations(
    databaseUrl,
    PUBLISHER_MIGRATIONS,
    FILES_MIGRATION,
    RETRIES_MIGRATION,
    TURNS_MIGRATION,
    RESTORES_MIGRATION,
    LOST_CALLS_MIGRATION,
  )
}
