import type { Platform } from '@herald/contracts/platforms'
import { describe, expect, test } from 'vitest'
import type { Lane, SeenLane } from './take-attempts.ts'
import { createTurns, type Turns } from './turns.ts'

const PACES = {
  MASTODON: { platform: 4, account: 2 },
  BLUESKY: { platform: 2, account: 1 },
} as const

/** Lanes as a walk sees them: `A1` is the account 1 of the organization A. */
function lanes(names: string, platform: Platform = 'MASTODON', is_due = true): SeenLane[] {
  return names
    .split(' ')
    .map((name) => ({ platform, organization_id: name.charAt(0), channel_id: name, is_due }))
}

/** Takes what is chosen of these lanes, all of which always have more, and answers in which order. */
function take(turns: Turns, seen: readonly SeenLane[]): string[] {
  const chosen = turns.choose(seen)
  chosen.forEach(turns.enter)
  return chosen.map(({ channel_id }) => channel_id)
}

/** So many rounds in which everything that was chosen is done at once, on a ring of these lanes. */
function rounds(turns: Turns, count: number, ring: readonly SeenLane[]): string[] {
  return Array.from({ length: count }, () => {
    const chosen = turns.choose(fromStart(turns, ring))
    return chosen.map(({ channel_id }) => channel_id)
  }).flat()
}

/** The ring as a walk sees it that begins where the last one ended. */
function fromStart(turns: Turns, ring: readonly SeenLane[]): SeenLane[] {
  const after = turns.starts().find(({ platform }) => platform === 'MASTODON')?.after ?? ''
  const isBehind = ({ organization_id }: Lane) => organization_id > after
  return [...ring.filter(isBehind), ...ring.filter((lane) => !isBehind(lane))]
}

describe('turns are taken', () => {
  test('by organizations first, then by the accounts of each', () => {
    const turns = createTurns({ MASTODON: { platform: 5, account: 1 } })
    expect(take(turns, lanes('A1 A2 A3 A4 B1 B2 C1'))).toEqual(['A1', 'B1', 'C1', 'A2', 'B2'])
  })

  test('by organizations that each have the same part, however many accounts they have', () => {
    const turns = createTurns({ MASTODON: { platform: 2, account: 1 } })
    const served = rounds(turns, 30, lanes('A1 A2 A3 A4 A5 A6 B1 C1'))
    const partOf = (organization: string) => served.filter((name) => name.startsWith(organization))
    expect(['A', 'B', 'C'].map((each) => partOf(each).length)).toEqual([20, 20, 20])
  })

  test('by all accounts of an organization', () => {
    const turns = createTurns({ MASTODON: { platform: 2, account: 2 } })
    expect(rounds(turns, 3, lanes('A1 A2 A3'))).toEqual(['A1', 'A2', 'A3', 'A1', 'A2', 'A3'])
  })

  test('beyond lanes of which none could be served', () => {
    const turns = createTurns(PACES)
    expect(take(turns, lanes('A1 B1', 'MASTODON', false))).toEqual([])
    expect(turns.starts()[0]).toEqual({ platform: 'MASTODON', after: 'B' })
  })
})

describe('places', () => {
  test('of a platform are never more than its pace', () => {
    const turns = createTurns(PACES)
    expect(take(turns, lanes('A1 B1 C1 D1 E1'))).toHaveLength(4)
    expect(turns.starts()).toEqual([{ platform: 'BLUESKY', after: '' }])
    expect(take(turns, lanes('A1 B1'))).toEqual([])
  })

  test('of an account are never more than its pace, and others go on', () => {
    const turns = createTurns(PACES)
    expect(take(turns, lanes('A1'))).toEqual(['A1', 'A1'])
    expect(take(turns, lanes('A1'))).toEqual([])
    expect(take(turns, lanes('A1 A2'))).toEqual(['A2', 'A2'])
  })

  test('of one platform are not those of another', () => {
    const turns = createTurns(PACES)
    take(turns, lanes('A1 B1 C1 D1'))
    expect(take(turns, [...lanes('A1'), ...lanes('A5 B5', 'BLUESKY')])).toEqual(['A5', 'B5'])
  })

  test('are free again when the work is done', () => {
    const turns = createTurns(PACES)
    take(turns, lanes('A1 B1 C1 D1'))
    for (const lane of lanes('A1 C1')) turns.leave(lane)
    expect(take(turns, lanes('A1 B1 C1 D1'))).toHaveLength(2)
  })

  test('there are none on a platform without a pace', () => {
    expect(take(createTurns(PACES), lanes('A1', 'TIKTOK'))).toEqual([])
  })
})
