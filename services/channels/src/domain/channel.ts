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
  /** What the platform allows the account beyond the rules, in the platform's own form. */
  limits: Record<string, unknown>
}

/** What the platform says that it takes from an account. It changes without anybody's doing here. */
export type ChannelLimits = Pick<ChannelFacts, 'rules' | 'limits'>

export type ChannelEvent =
  | ({ type: 'ChannelConnected'; organizationId: string; createdAt: string } & ChannelFacts)
  | ({ type: 'ChannelReconnected' } & ChannelFacts)
  | ({ type: 'ChannelLimitsChanged' } & ChannelLimits)
  | { type: 'ChannelReauthRequired'; platform: Platform; username: string; reason: string }
  | { type: 'ChannelDisconnected'; platform: Platform; username: string }

export type ChannelCommand =
  | { type: 'Connect'; organizationId: string; now: string; facts: ChannelFacts }
  | ({ type: 'NoteLimits' } & ChannelLimits)
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
      case 'NoteLimits': {
        const { rules, limits } = command
        if (state.status === 'absent' || state.status === 'disconnected') return []
        return isSame({ rules, limits }, { rules: state.rules, limits: state.limits })
          ? []
          : [{ type: 'ChannelLimitsChanged', rules, limits }]
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
      case 'ChannelLimitsChanged': {
        const { rules, limits } = event
        return state.status === 'absent' ? state : { ...state, rules, limits }
      }
      case 'ChannelReauthRequired':
        return state.status === 'absent' ? state : { ...state, status: 'reauth_required' }
      case 'ChannelDisconnected':
        return state.status === 'absent' ? state : { ...state, status: 'disconnected' }
    }
  },
}

/** Compares values of JSON; the order of an object's fields means nothing. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [names, others] = [Object.keys(one), Object.keys(other)]
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
