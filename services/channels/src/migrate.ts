import { EVENT_STORE_MIGRATIONS } from '@herald/event-store/migrations'
import { runMigrations } from '@herald/event-store/migrate'
import { CHANNELS_MIGRATIONS } from './migrations/0001-channels.ts'
import { CHANNEL_LIMITS_MIGRATION } from './migrations/0002-channel-limits.ts'
import { GRANTS_MIGRATION } from './migrations/0003-grants-and-renewals.ts'

/** Brings the channels database up to date. */
export function migrate(databaseUrl: string): Promise<void> {
  return runMigrations(
    databaseUrl,
    EVENT_STORE_MIGRATIONS,
    CHANNELS_MIGRATIONS,
    CHANNEL_LIMITS_MIGRATION,
    GRANTS_MIGRATION,
  )
}
