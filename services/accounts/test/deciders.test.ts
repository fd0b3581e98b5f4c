import { given } from '@herald/event-store/given'
import { describe, expect, test } from 'vitest'
import { key, type KeyEvent, type KeyFacts } from '../src/domain/key.ts'
import { organization, type OrganizationEvent } from '../src/domain/organization.ts'

const now = '2026-11-21T09:30:00.000Z'
const later = '2026-11-21T09:31:00.000Z'

describe('an organization', () => {
  const created: OrganizationEvent = {
    type: 'OrganizationCreated',
    name: 'Bakery',
    plan: 'FREE',
    createdAt: now,
  }
  const create = { type: 'CreateOrganization', name: 'Bakery', plan: 'FREE', now } as const

  test('begins with its name and plan', () => {
    expect(given(organization).when(create)).toEqual([created])
  })

  test('is made once', () => {
    expect(given(organization, created).when(create)).toMatchObject({ code: 'conflict' })
  })

  test('moves to another plan', () => {
    const events = given(organization, created).when({ type: 'ChangePlan', plan: 'PRO' })
    expect(events).toEqual([{ type: 'PlanChanged', plan: 'PRO' }])
    expect(given(organization, created, { type: 'PlanChanged', plan: 'PRO' }).state).toMatchObject({
      plan: 'PRO',
      name: 'Bakery',
    })
  })

  test('that is on the plan already has no event for it', () => {
    expect(given(organization, created).when({ type: 'ChangePlan', plan: 'FREE' })).toEqual([])
  })

  test('that does not exist has no plan to change', () => {
    const refusal = given(organization).when({ type: 'ChangePlan', plan: 'PRO' })
    expect(refusal).toMatchObject({ code: 'not_found' })
  })
})

describe('a key', () => {
  const facts: KeyFacts = {
    organizationId: 'org_1',
    name: 'Website',
    prefix: 'herald_live_AbCd',
    scopes: ['read'],
    channels: 'all',
    expiresAt: null,
    createdAt: now,
  }
  const create = { type: 'CreateKey', ...facts } as const
  const created: KeyEvent = { type: 'KeyCreated', ...facts }
  const revoked: KeyEvent = { type: 'KeyRevoked', prefix: facts.prefix, revokedAt: now }

  test('begins with what it may do', () => {
    expect(given(key).when(create)).toEqual([created])
  })

  test.each([now, '2026-11-21T09:29:59.999Z'])(
    'that would be expired from the start (%s) is refused',
    (expiresAt) => {
      expect(given(key).when({ ...create, expiresAt })).toMatchObject({
        code: 'validation_failed',
        status: 422,
        details: { issues: [{ path: 'expiresAt' }] },
      })
    },
  )

  test('may expire later', () => {
    expect(given(key).when({ ...create, expiresAt: later })).toMatchObject([{ expiresAt: later }])
  })

  test('is revoked once; the second time changes nothing', () => {
    expect(given(key, created).when({ type: 'RevokeKey', now })).toEqual([revoked])
    expect(given(key, created, revoked).when({ type: 'RevokeKey', now: later })).toEqual([])
    expect(given(key, created, revoked).state).toMatchObject({ revokedAt: now })
  })

  test('that does not exist cannot be revoked', () => {
    expect(given(key).when({ type: 'RevokeKey', now })).toMatchObject({ code: 'not_found' })
  })
})
