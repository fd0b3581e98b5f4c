import { given } from '@herald/event-store/given'
import { describe, expect, test } from 'vitest'
import { channel, type ChannelEvent, type ChannelFacts } from '../src/domain/channel.ts'

const now = '2026-11-21T09:30:00.000Z'
const organizationId = 'org_1'
const facts: ChannelFacts = {
  platform: 'MASTODON',
  baseUrl: 'https://social.example',
  account: '7',
  username: 'anna',
  name: 'Anna',
  avatarUrl: null,
  rules: {
    requiresMedia: false,
    requiresVideo: false,
    maxImages: 4,
    maxChars: 500,
    requiredFields: [],
  },
  limits: { guild: '1' },
}
const who = { platform: facts.platform, username: facts.username }
const connected: ChannelEvent = {
  type: 'ChannelConnected',
  organizationId,
  createdAt: now,
  ...facts,
}
const dead: ChannelEvent = { type: 'ChannelReauthRequired', ...who, reason: 'refused' }
const gone: ChannelEvent = { type: 'ChannelDisconnected', ...who }
const connect = { type: 'Connect', organizationId, now, facts } as const
const later = { ...connect, now: '2026-11-22T09:30:00.000Z', facts: { ...facts, name: 'Anna B.' } }

describe('a channel', () => {
  test('begins with what the platform says of the account', () => {
    expect(given(channel).when(connect)).toEqual([connected])
    expect(given(channel, connected).state).toMatchObject({ status: 'active', createdAt: now })
  })

  test.each([
    ['active', [connected]],
    ['reauth_required', [connected, dead]],
    ['disconnected', [connected, gone]],
  ] as [string, ChannelEvent[]][])(
    'that is %s is connected again with what the platform says now, and keeps its age',
    (status, events) => {
      expect(given(channel, ...events).state).toMatchObject({ status })
      const [reconnected] = given(channel, ...events).when(later) as ChannelEvent[]
      expect(reconnected).toEqual({ type: 'ChannelReconnected', ...facts, name: 'Anna B.' })
      expect(given(channel, ...events, reconnected!).state).toEqual({
        ...facts,
        status: 'active',
        organizationId,
        createdAt: now,
        name: 'Anna B.',
      })
    },
  )

  test('is marked for its owner once, and only while it is active', () => {
    const command = { type: 'RequireReauth', reason: 'refused' } as const
    expect(given(channel, connected).when(command)).toEqual([dead])
    expect(given(channel, connected, dead).when(command)).toEqual([])
    expect(given(channel, connected, gone).when(command)).toEqual([])
    expect(given(channel).when(command)).toEqual([])
  })

  test.each([
    ['rules', { rules: { ...facts.rules, maxChars: 5_000 }, limits: facts.limits }],
    ['limits', { rules: facts.rules, limits: { guild: '1', levels: ['A', 'B'] } }],
    ['fewer limits', { rules: facts.rules, limits: {} }],
  ])('takes note of other %s, once', (_, now) => {
    const changed = { type: 'ChannelLimitsChanged', ...now } as const
    const command = { type: 'NoteLimits', ...now } as const
    expect(given(channel, connected).when(command)).toEqual([changed])
    expect(given(channel, connected, changed).state).toMatchObject(now)
    expect(given(channel, connected, changed).when(command)).toEqual([])
  })

  test('takes no note of the same limits in another order of fields, nor when it is not connected', () => {
    const { maxChars, ...others } = facts.rules
    const limits = { b: [1, { c: null }], a: 2 }
    const known = { type: 'ChannelLimitsChanged', rules: facts.rules, limits } as const
    const same = { rules: { maxChars, ...others }, limits: { a: 2, b: [1, { c: null }] } }
    const command = { type: 'NoteLimits', ...same } as const
    expect(given(channel, connected, known).when(command)).toEqual([])
    expect(given(channel).when(command)).toEqual([])
    expect(given(channel, connected, gone).when(command)).toEqual([])
  })

  test('is disconnected from any connected state', () => {
    expect(given(channel, connected).when({ type: 'Disconnect' })).toEqual([gone])
    expect(given(channel, connected, dead).when({ type: 'Disconnect' })).toEqual([gone])
  })

  test.each([[[]], [[connected, gone]]] as [ChannelEvent[]][])(
    'that is not connected cannot be disconnected',
    (events) => {
      const refusal = given(channel, ...events).when({ type: 'Disconnect' })
      expect(refusal).toMatchObject({ code: 'not_found' })
    },
  )
})
