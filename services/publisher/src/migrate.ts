import { runMigrations } from '@herald/event-store/migrate'
import { PUBLISHER_MIGRATIONS } from './migrations/0001-attempts.ts'
import { FILES_MIGRATION } from './migrations/0002-files.ts'
import { RETRIES_MIGRATION } from './migrations/0003-retries.ts'
import { TURNS_MIGRATION } from './migrations/0004-turns.ts'
import { TRACES_MIGRATION } from './migrations/0005-traces.ts'

/** Brings the publisher database up to date. */
export function migrate(databaseUrl: string): Promise<void> {
  return runMigrations(
    databaseUrl,
    PUBLISHER_MIGRATIONS,
    FILES_MIGRATION,
    RETRIES_MIGRATION,
    TURNS_MIGRATION,
    TRACES_MIGRATION,
  )
}
