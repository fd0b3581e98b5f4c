import type { StreamType } from '@herald/event-store/stream-type'
import {
  channel,
  type ChannelCommand,
  type ChannelEvent,
  type ChannelState,
} from './domain/channel.ts'

/** The stream of a channel and the table that is its fold. */
export const channelStream: StreamType<ChannelState, ChannelCommand, ChannelEvent> = {
  name: 'channel',
  decider: channel,
  schemaVersion: 1,
  upcasts: [],
  projection: {
    tables: [
      {
        name: 'channels',
        key: ['id'],
        stream: 'id',
        columns: [
          'id',
          'version',
          'organization_id',
          'platform',
          'base_url',
          'account',
          'username',
          'name',
          'avatar_url',
          'status',
          'rules',
          'created_at',
        ],
      },
    ],
    rows: (state, { id, version }) => ({
      channels:
        state.status === 'absent'
          ? []
          : [
              {
                id,
                version,
                organization_id: state.organizationId,
                platform: state.platform,
                base_url: state.baseUrl,
                account: state.account,
                username: state.username,
                name: state.name,
                avatar_url: state.avatarUrl,
                status: state.status,
                rules: state.rules,
                created_at: state.createdAt,
              },
            ],
    }),
  },
}
