import { AppError } from '@herald/contracts/errors'
import type { ChannelRules, Platform } from '@herald/contracts/platforms'
import type { Decider } from '@herald/event-store/decider'

/** What is known of a connected account. Credentials are in no event. */
export type ChannelFacts = {
  platform: Platform
  baseUrl: string
  account: string
  username: string
  name: string
  avatarUrl: string | null
  rules: ChannelRules
}

export type ChannelEvent =
  | ({ type: 'ChannelConnected'; organizationId: string; createdAt: string } & ChannelFacts)
  | ({ type: 'ChannelReconnected' } & ChannelFacts)
  | { type: 'ChannelReauthRequired'; platform: Platform; username: string; reason: string }
  | { type: 'ChannelDisconnected'; platform: Platform; username: string }

export type ChannelCommand =
  | { type: 'Connect'; organizationId: string; now: string; facts: ChannelFacts }
  | { type: 'RequireReauth'; reason: string }
  | { type: 'Disconnect' }

export type ChannelState =
  | { status: 'absent' }
  | ({
      status: 'active' | 'reauth_required' | 'disconnected'
      organizationId: string
      createdAt: string
    } & ChannelFacts)

/** A connected account. Connecting it again keeps its id, whatever state it is in. */
export const channel: Decider<ChannelState, ChannelCommand, ChannelEvent> = {
  initial: { status: 'absent' },
  decide(command, state) {
    switch (command.type) {
      case 'Connect': {
        const { organizationId, now, facts } = command
        return state.status === 'absent'
          ? [{ type: 'ChannelConnected', organizationId, createdAt: now, ...facts }]
          : [{ type: 'ChannelReconnected', ...facts }]
      }
      case 'RequireReauth': {
        if (state.status !== 'active') return []
        const { platform, username } = state
        return [{ type: 'ChannelReauthRequired', platform, username, reason: command.reason }]
      }
      case 'Disconnect': {
        if (state.status === 'absent' || state.status === 'disconnected')
          throw new AppError('not_found', 'There is no such connected channel.')
        const { platform, username } = state
        return [{ type: 'ChannelDisconnected', platform, username }]
      }
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'ChannelConnected': {
        const { type: _, ...facts } = event
        return { status: 'active', ...facts }
      }
      case 'ChannelReconnected': {
        const { type: _, ...facts } = event
        return state.status === 'absent' ? state : { ...state, ...facts, status: 'active' }
      }
      case 'ChannelReauthRequired':
        return state.status === 'absent' ? state : { ...state, status: 'reauth_required' }
      case 'ChannelDisconnected':
        return state.status === 'absent' ? state : { ...state, status: 'disconnected' }
    }
  },
}
