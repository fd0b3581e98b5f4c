import { runMigrations } from '@herald/event-store/migrate'
import { QUOTA_MIGRATIONS } from './migrations/0001-quota.ts'
import { ORGANIZATION_OF_KEYS_MIGRATION } from './migrations/0002-organization-of-keys.ts'

/** Brings the quota database up to date. */
export function migrate(databaseUrl: string): Promise<void> {
  return runMigrations(databaseUrl, QUOTA_MIGRATIONS, ORGANIZATION_OF_KEYS_MIGRATION)
}
