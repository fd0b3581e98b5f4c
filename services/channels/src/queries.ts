import type { ChannelRestriction, ChannelStatus } from '@herald/contracts/channels'
import type { ChannelRules, Platform } from '@herald/contracts/platforms'
import type { Pool } from '@herald/event-store/database'
import { forOrganization } from '@herald/event-store/organization'

export type ChannelRow = {
  id: string
  organization_id: string
  platform: Platform
  base_url: string
  account: string
  username: string
  name: string
  avatar_url: string | null
  status: ChannelStatus
  rules: ChannelRules
}

const COLUMNS =
  'id, organization_id, platform, base_url, account, username, name, avatar_url, status, rules'

/** Connected channels of an organization, oldest first: all of them, or those of the restriction. */
export async function listChannels(
  pool: Pool,
  organizationId: string,
  channels: ChannelRestriction,
): Promise<ChannelRow[]> {
  const { rows } = await forOrganization(pool, organizationId).query<ChannelRow>({
    name: 'list_channels',
    text: `select ${COLUMNS} from channels
           where organization_id = $1 and status <> 'disconnected' and ($2::text[] is null or id = any($2))
           order by created_at, id`,
    values: [organizationId, channels === 'all' ? null : channels],
  })
  return rows
}

/** A channel of an organization in any state. */
export async function findChannel(
  pool: Pool,
  organizationId: string,
  channelId: string,
): Promise<ChannelRow | undefined> {
  const { rows } = await forOrganization(pool, organizationId).query<ChannelRow>({
    name: 'find_channel',
    text: `select ${COLUMNS} from channels where id = $1 and organization_id = $2`,
    values: [channelId, organizationId],
  })
  return rows[0]
}

/**
 * The channel of an account: the one it has, or the given id, which it keeps from now on. Two connections of one
 * account at the same time get the same answer.
 */
export async function channelOfAccount(
  pool: Pool,
  account: Pick<ChannelRow, 'organization_id' | 'platform' | 'base_url' | 'account'>,
  newChannelId: string,
): Promise<string> {
  const { rows } = await forOrganization(pool, account.organization_id).query<{
    channel_id: string
  }>(
    `insert into accounts (organization_id, platform, base_url, account, channel_id) values ($1, $2, $3, $4, $5)
     on conflict (organization_id, platform, base_url, account)
     do update set account = excluded.account returning channel_id`,
    [account.organization_id, account.platform, account.base_url, account.account, newChannelId],
  )
  return rows[0]?.channel_id ?? newChannelId
}
