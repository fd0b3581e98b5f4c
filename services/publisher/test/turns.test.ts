import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platforms'
import { describe, expect, test } from 'vitest'
import { addAttempts, type NewAttempt } from '../src/attempts.ts'
import { findLanes, takeAttempts } from '../src/take-attempts.ts'
import { createTurns } from '../src/turns.ts'
import { LEASE_SECONDS, letPass, newAttempt, publisherWorld, type World } from './world.ts'

const PACES = { MASTODON: { platform: 32, account: 4 }, BLUESKY: { platform: 32, account: 4 } }

/** So many attempts of one account of an organization of its own. */
function backlog(count: number, change: Partial<NewAttempt> = {}): NewAttempt[] {
  const organization_id = newId('organization')
  const channel_id = newId('channel')
  return Array.from({ length: count }, () => newAttempt({ organization_id, channel_id, ...change }))
}

/** In which order organizations are served, until so many attempts are done; all that is taken at a time is done at once. */
async function served({ pool }: World, count: number): Promise<string[]> {
  const turns = createTurns(PACES)
  const order: string[] = []
  while (order.length < count) {
    const lanes = turns.choose(await findLanes(pool, 'claimed', turns.starts()))
    const attempts = await takeAttempts(pool, 'claimed', lanes, LEASE_SECONDS)
    order.push(...attempts.map(({ organization_id }) => organization_id))
    if (attempts.length === 0) break
    await pool.query(
      `update attempts set state = 'published', lease_until = null where lease_until is not null`,
    )
  }
  return order
}

describe('attempts are taken in turns', () => {
  test('10 of one organization are not behind 10,000 of another that were there before', async () => {
    await using world = await publisherWorld()
    const many = backlog(10_000)
    for (let from = 0; from < many.length; from += 1_000)
      await addAttempts(world.pool, many.slice(from, from + 1_000))
    await letPass(world, '10 minutes')
    const few = backlog(10)
    await addAttempts(world.pool, few)
    const order = await served(world, 40)
    const own = order.flatMap((id, index) => (id === few[0]!.organization_id ? [index] : []))
    expect(own).toHaveLength(10)
    // Each has four places at a time.
    expect(own.at(-1)).toBeLessThan(24)
    expect(order.length).toBeGreaterThanOrEqual(40)
  })

  test('also those of organizations behind a thousand others that wait for later', async () => {
    await using world = await publisherWorld()
    await addAttempts(
      world.pool,
      Array.from({ length: 1_200 }, () => newAttempt()),
    )
    await world.pool.query(`update attempts set next_attempt_at = now() + interval '1 hour'`)
    const few = backlog(3)
    await addAttempts(world.pool, few)
    const turns = createTurns(PACES)
    const found = []
    for (let walks = 0; walks < 3; walks++)
      found.push(...turns.choose(await findLanes(world.pool, 'claimed', turns.starts())))
    expect(found.map(({ channel_id }) => channel_id)).toContain(few[0]!.channel_id)
  })

  test('the one of an account that has waited longest comes first', async () => {
    await using world = await publisherWorld()
    const [first, ...others] = backlog(5)
    await addAttempts(world.pool, [first!])
    await letPass(world, '1 minute')
    await addAttempts(world.pool, others)
    const lanes = await findLanes(world.pool, 'claimed', [{ platform: 'MASTODON', after: '' }])
    expect(lanes).toHaveLength(1)
    const taken = await takeAttempts(world.pool, 'claimed', lanes, LEASE_SECONDS)
    expect(taken.map(({ post_id }) => post_id)).toEqual([first!.post_id])
  })
})

describe('a walk', () => {
  const names = async ({ pool }: World, after: string, platform: Platform = 'MASTODON') =>
    (await findLanes(pool, 'claimed', [{ platform, after }])).map(({ channel_id }) => channel_id)

  /** Attempts of organizations a, b and c: a has two accounts, and there is one on another platform. */
  async function abc(world: World) {
    const of = (organization_id: string, channel_id: string, platform = 'MASTODON') =>
      newAttempt({ organization_id, channel_id, platform })
    await addAttempts(world.pool, [
      of('a', 'a1'),
      of('a', 'a1'),
      of('a', 'a2'),
      of('b', 'b1'),
      of('c', 'c1'),
      of('b', 'b2', 'BLUESKY'),
    ])
  }

  test.each([
    ['', ['a1', 'a2', 'b1', 'c1']],
    ['a', ['b1', 'c1', 'a1', 'a2']],
    ['b', ['c1', 'a1', 'a2', 'b1']],
    ['c', ['a1', 'a2', 'b1', 'c1']],
    ['zzz', ['a1', 'a2', 'b1', 'c1']],
  ])(
    'behind %j passes each account once, in the order of the ring: %j',
    async (after, expected) => {
      await using world = await publisherWorld()
      await abc(world)
      expect(await names(world, after)).toEqual(expected)
    },
  )

  test('sees one platform only, and several walks are made at once', async () => {
    await using world = await publisherWorld()
    await abc(world)
    expect(await names(world, '', 'BLUESKY')).toEqual(['b2'])
    expect(await names(world, '', 'TIKTOK')).toEqual([])
    const seen = await findLanes(world.pool, 'claimed', [
      { platform: 'BLUESKY', after: 'x' },
      { platform: 'MASTODON', after: 'b' },
    ])
    expect(seen.map(({ channel_id }) => channel_id)).toEqual(['b2', 'c1', 'a1', 'a2', 'b1'])
  })

  test('leaves out what is held, put off or waits for something else, but tells where it ended', async () => {
    await using world = await publisherWorld()
    await abc(world)
    await world.pool.query(
      `update attempts set lease_until = now() + interval '1 minute' where channel_id = 'a1'`,
    )
    await world.pool.query(
      `update attempts set next_attempt_at = now() + interval '1 minute' where channel_id = 'c1'`,
    )
    await world.pool.query(`update attempts set state = 'unknown' where channel_id = 'b1'`)
    const seen = await findLanes(world.pool, 'claimed', [{ platform: 'MASTODON', after: '' }])
    expect(seen).toMatchObject([
      { channel_id: 'a2', is_due: true },
      { channel_id: 'c1', is_due: false },
    ])
    const unknown = await findLanes(world.pool, 'unknown', [{ platform: 'MASTODON', after: '' }])
    expect(unknown).toMatchObject([{ channel_id: 'b1', is_due: true }])
  })
})
