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
  schemaVersion: 2,
  upcasts: ['ChannelConnected', 'ChannelReconnected'].map((type) => ({
    type,
    from: 1,
    // Until then no platform told anything but rules.
    change: (data) => ({ ...data, limits: {} }),
  })),
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
          'limits',
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
                limits: state.limits,
                created_at: state.createdAt,
              },
            ],
    }),
  },
}
