import { newId } from '@herald/contracts/ids'
import type { Platform } from '@herald/contracts/platforms'
import { eventually } from '@herald/testing/eventually'
import { expect, test } from 'vitest'
import { addAttempts } from '../src/attempts.ts'
import { startWorkers } from '../src/workers.ts'
import { publishingWorld } from './publishing-world.ts'
import { LIVE, newAttempt } from './world.ts'

const PACES = {
  MASTODON: { platform: 3, account: 2 },
  BLUESKY: { platform: 3, account: 2 },
}

/** Workers on platforms that answer when the test says so; Mastodon hangs in one of its functions. */
async function hangingWorld(where: 'prepare' | 'commit' | 'lookUp') {
  const world = await publishingWorld()
  const hanging = Promise.withResolvers<void>()
  const atOnce = new Map<string, number>()
  const most = new Map<string, number>()
  const { connectorOf } = world.deps
  world.deps.connectorOf = (platform) => {
    const connector = connectorOf('MASTODON')
    if (!connector) return undefined
    const hang = async (name: typeof where, channel: string) => {
      if (name !== where || platform !== 'MASTODON') return
      for (const key of [platform, channel]) {
        atOnce.set(key, (atOnce.get(key) ?? 0) + 1)
        most.set(key, Math.max(most.get(key) ?? 0, atOnce.get(key) ?? 0))
      }
      await hanging.promise
      for (const key of [platform, channel]) atOnce.set(key, (atOnce.get(key) ?? 0) - 1)
    }
    return {
      ...connector,
      prepare: async (input) => {
        await hang('prepare', input.account)
        return connector.prepare(input)
      },
      commit: async (input) => {
        await hang('commit', input.account)
        return connector.commit(input)
      },
      lookUp: async (input) => {
        await hang('lookUp', input.account)
        return connector.lookUp(input)
      },
    }
  }
  const access = world.script.access
  world.script.access = async (channelId) => ({ ...(await access(channelId)), account: channelId })
  const add = (platform: Platform, count: number, channel_id = newId('channel')) => {
    const account = { platform, channel_id, organization_id: newId('organization') }
    return addAttempts(
      world.pool,
      Array.from({ length: count }, () => newAttempt(account)),
    )
  }
  const ended = async (platform: Platform) => {
    const { rows } = await world.pool.query<{ state: string; n: number }>(
      'select state, count(*)::int as n from attempts where platform = $1 group by 1',
      [platform],
    )
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
  }
  return { ...world, hanging, most, atOnce, add, ended }
}

test.for(['prepare', 'commit', 'lookUp'] as const)(
  'a platform that hangs at every %s takes no place of another, whose posts all go out',
  async (where) => {
    await using world = await hangingWorld(where)
    world.script.commit = () =>
      where === 'lookUp'
        ? { outcome: 'unknown', message: 'Soon.', isWorking: true }
        : { outcome: 'published', ...LIVE }
    world.script.lookUp = () => ({ found: LIVE })
    world.deps.timing.reconcileSeconds = [0, 0, 0]
    await world.add('MASTODON', 20, 'chan_m')
    for (let channels = 0; channels < 4; channels++) await world.add('MASTODON', 5)
    const workers = startWorkers(world.deps, PACES)
    try {
      await eventually(() => expect(world.atOnce.get('MASTODON')).toBeGreaterThan(0))
      await world.add('BLUESKY', 40)
      await eventually(async () => expect(await world.ended('BLUESKY')).toEqual({ published: 40 }))
      expect(await world.ended('MASTODON')).not.toHaveProperty('published')
      expect(world.most.get('MASTODON')).toBe(where === 'lookUp' ? 1 : 3)
      expect(world.most.get('chan_m') ?? 0).toBeLessThanOrEqual(2)
    } finally {
      world.hanging.resolve()
      await eventually(async () => expect(await world.ended('MASTODON')).toEqual({ published: 40 }))
      await workers.close()
    }
  },
)
