import type { StreamType } from '@herald/event-store/stream-type'
import { key, type KeyCommand, type KeyEvent, type KeyState } from './domain/key.ts'
import {
  organization,
  type OrganizationCommand,
  type OrganizationEvent,
  type OrganizationState,
} from './domain/organization.ts'

/** The stream of an organization and the table that is its fold. */
export const organizationStream: StreamType<
  OrganizationState,
  OrganizationCommand,
  OrganizationEvent
> = {
  name: 'organization',
  decider: organization,
  schemaVersion: 1,
  upcasts: [],
  projection: {
    tables: [
      {
        name: 'organizations',
        key: ['id'],
        stream: 'id',
        columns: ['id', 'version', 'name', 'plan', 'created_at'],
      },
    ],
    rows: (state, { id, version }) => ({
      organizations:
        state.status === 'absent'
          ? []
          : [{ id, version, name: state.name, plan: state.plan, created_at: state.createdAt }],
    }),
  },
}

/** The stream of an API key and the table that is its fold. The hash of the key stands in a table of its own. */
export const keyStream: StreamType<KeyState, KeyCommand, KeyEvent> = {
  name: 'key',
  decider: key,
  schemaVersion: 1,
  upcasts: [],
  projection: {
    tables: [
      {
        name: 'keys',
        key: ['id'],
        stream: 'id',
        columns: [
          'id',
          'version',
          'organization_id',
          'name',
          'prefix',
          'scopes',
          'channels',
          'expires_at',
          'created_at',
          'revoked_at',
        ],
      },
    ],
    rows: (state, { id, version }) => ({
      keys:
        state.status === 'absent'
          ? []
          : [
              {
                id,
                version,
                organization_id: state.organizationId,
                name: state.name,
                prefix: state.prefix,
                scopes: state.scopes,
                channels: state.channels,
                expires_at: state.expiresAt,
                created_at: state.createdAt,
                revoked_at: state.revokedAt,
              },
            ],
    }),
  },
}
