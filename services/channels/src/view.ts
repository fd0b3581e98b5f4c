import type { Channel } from '@herald/contracts/channels'
import { rulesOf } from '@herald/platforms/rules-registry'
import type { ChannelRow } from './queries.ts'

/** A channel as the API shows it. */
export function toChannel(row: ChannelRow): Channel {
  return {
    id: row.id,
    platform: row.platform,
    platformName: rulesOf(row.platform)?.name ?? row.platform,
    name: row.name,
    username: row.username,
    avatarUrl: row.avatar_url,
    status: row.status,
    rules: row.rules,
  }
}
