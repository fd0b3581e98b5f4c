import { EVENT_STORE_MIGRATIONS } from '@herald/event-store/migrations'
import { runMigrations } from '@herald/event-store/migrate'
import { ACCOUNTS_MIGRATIONS } from './migrations/0001-accounts.ts'
import { KEY_PEPPERS_MIGRATION } from './migrations/0002-key-peppers.ts'
import { ORGANIZATION_OF_ROWS_MIGRATION } from './migrations/0003-organization-of-rows.ts'

/** Brings the accounts database up to date. */
export function migrate(databaseUrl: string): Promise<void> {
  return runMigrations(
    databaseUrl,
    EVENT_STORE_MIGRATIONS,
    ACCOUNTS_MIGRATIONS,
    KEY_PEPPERS_MIGRATION,
    ORGANIZATION_OF_ROWS_MIGRATION,
  )
}
