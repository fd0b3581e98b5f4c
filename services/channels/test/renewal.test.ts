import { eventually } from '@herald/testing/eventually'
import { describe, expect, test as base } from 'vitest'
import { upkeep } from '../src/upkeep.ts'
import { type ChannelsWorld, channelsWorld, expiredBluesky, typesOf } from './channels-world.ts'

const test = base.extend<{ world: ChannelsWorld }>({
  world: async ({}, use) => {
    await using world = await channelsWorld()
    await use(world)
  },
})

const HOUR_MS = 3_600_000

const refreshes = ({ rotating }: ChannelsWorld) =>
  rotating.calls.filter((call) => call === 'refresh').length

const accessOf = async ({ handlers, organizationId }: ChannelsWorld, channelId: string) =>
  (await handlers.access({ organizationId, channelId })).token

async function timesOf({ pool, deps }: ChannelsWorld) {
  const { rows } = await pool.query<{ renew_at: string | null; limits_at: string | null }>(
    'select renew_at, limits_at from credentials',
  )
  const minutes = (at: string | null | undefined) =>
    at === null || at === undefined ? null : (Date.parse(at) - deps.now()) / 60_000
  return { renewIn: minutes(rows[0]?.renew_at), limitsIn: minutes(rows[0]?.limits_at) }
}

describe('a refresh token that is good once', () => {
  test('is used once by two processes with twenty calls each and their upkeep, at the end of a token', async ({
    world,
  }) => {
    const { deps, other, handlers, rotating, organizationId } = world
    const { id: channelId } = await world.x()
    const elsewhere = world.another()
    for (const round of [1, 2, 3]) {
      world.advance(2 * HOUR_MS)
      const one = { organizationId, channelId }
      const calls = Array.from({ length: 20 }, () => [handlers.access(one), elsewhere.access(one)])
      const given = await Promise.all([...calls.flat(), upkeep(deps), upkeep(other)])
      const tokens = given.flatMap((answer) => (typeof answer === 'object' ? [answer.token] : []))
      expect(tokens).toHaveLength(40)
      expect(new Set(tokens).size).toBe(1)
      expect(refreshes(world)).toBe(round)
    }
    expect(rotating.thefts).toBe(0)
    expect(await typesOf(world, channelId)).toEqual(['ChannelConnected'])
  })

  test('is not used again when the connection breaks after the platform has answered', async ({
    world,
  }) => {
    const { id: channelId } = await world.x()
    world.advance(2 * HOUR_MS)
    const gate = Promise.withResolvers<void>()
    world.rotating.gate = gate.promise
    const renewing = accessOf(world, channelId)
    await eventually(() => expect(refreshes(world)).toBe(1))
    await world.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction'`,
    )
    gate.resolve()
    const token = await renewing
    expect(await accessOf(world, channelId)).toBe(token)
    expect(refreshes(world)).toBe(1)
    world.advance(2 * HOUR_MS)
    expect(await accessOf(world, channelId)).not.toBe(token)
    expect(world.rotating.thefts).toBe(0)
  })

  test('that was lost with a process makes the channel reauth_required, with the reason', async ({
    world,
  }) => {
    const { handlers, organizationId, pool } = world
    const { id: channelId } = await world.x()
    const { rows } = await pool.query('select nonce, ciphertext from credentials')
    world.advance(2 * HOUR_MS)
    await accessOf(world, channelId)
    // As after a crash between the platform's answer and the commit: the used refresh token is still the stored one.
    const { nonce, ciphertext } = rows[0] as { nonce: Buffer; ciphertext: Buffer }
    await pool.query('update credentials set nonce = $1, ciphertext = $2', [nonce, ciphertext])
    await expect(accessOf(world, channelId)).rejects.toMatchObject({ code: 'reauth_required' })
    const { rows: events } = await pool.query(
      `select data ->> 'reason' as reason from events where type = 'ChannelReauthRequired'`,
    )
    expect(events).toEqual([{ reason: 'X has ended the grant.' }])
    const { data } = await handlers.list({ organizationId, channels: 'all' })
    expect(data).toMatchObject([{ id: channelId, status: 'reauth_required' }])
  })
})

describe('upkeep', () => {
  test('renews a token after three quarters of its life, and not before', async ({ world }) => {
    const { id: channelId } = await world.x()
    const token = await accessOf(world, channelId)
    expect((await timesOf(world)).renewIn).toBeGreaterThan(89)
    expect((await timesOf(world)).renewIn).toBeLessThan(97)
    world.advance(1.4 * HOUR_MS)
    await upkeep(world.deps)
    expect(refreshes(world)).toBe(0)
    world.advance(0.25 * HOUR_MS)
    await upkeep(world.deps)
    expect(refreshes(world)).toBe(1)
    expect(await accessOf(world, channelId)).not.toBe(token)
    expect((await timesOf(world)).renewIn).toBeGreaterThan(89)
  })

  test('leaves alone a token that somebody has renewed since it was due', async ({ world }) => {
    const { id: channelId } = await world.x()
    world.advance(2 * HOUR_MS)
    await accessOf(world, channelId)
    await world.pool.query('update credentials set renew_at = now(), expires_at = now()')
    await upkeep(world.deps)
    expect(refreshes(world)).toBe(1)
  })

  test('asks a platform that does not answer less and less often, and changes nothing else', async ({
    world,
  }) => {
    const { id: channelId } = await world.x()
    await upkeep(world.deps)
    world.rotating.isDown = true
    world.advance(2 * HOUR_MS)
    const waits: number[] = []
    for (let times = 0; times < 8; times++) {
      await upkeep(world.deps)
      const { renewIn } = await timesOf(world)
      waits.push(renewIn ?? 0)
      world.advance((renewIn ?? 0) * 60_000 + 1)
    }
    expect(refreshes(world)).toBe(8)
    expect(waits[0]).toBeLessThan(2)
    expect(waits[4]).toBeGreaterThan(10)
    expect(Math.max(...waits)).toBeLessThanOrEqual(75)
    expect(await typesOf(world, channelId)).toEqual(['ChannelConnected'])
    world.rotating.isDown = false
    await upkeep(world.deps)
    expect((await timesOf(world)).renewIn).toBeGreaterThan(89)
  })

  test('marks a channel whose grant is over before its next post is due, and asks no more', async ({
    world,
  }) => {
    const { id: channelId } = await world.x()
    await upkeep(world.deps)
    world.rotating.endGrants()
    world.advance(1.7 * HOUR_MS)
    await upkeep(world.deps)
    expect(await typesOf(world, channelId)).toEqual(['ChannelConnected', 'ChannelReauthRequired'])
    expect(await timesOf(world)).toEqual({ renewIn: null, limitsIn: null })
    world.rotating.calls.length = 0
    world.advance(48 * HOUR_MS)
    await upkeep(world.deps)
    expect(world.rotating.calls).toEqual([])
    expect((await world.x()).id).toBe(channelId)
    expect((await timesOf(world)).renewIn).toBeGreaterThan(80)
  })

  test('renews the session of a Bluesky account too', async ({ world }) => {
    await expiredBluesky(world)
    world.advance(60_001)
    await upkeep(world.deps)
    expect(world.platform.calls).toEqual(['com.atproto.server.refreshSession'])
    expect((await timesOf(world)).renewIn).toBeGreaterThan(80)
  })

  test('goes on with other channels when one cannot be looked after', async ({ world }) => {
    const [anna] = [await world.x('anna'), await world.x('ben')]
    await upkeep(world.deps)
    await world.pool.query(
      `update credentials set ciphertext = '\\x00112233445566778899aabbccddeeff00' where channel_id = $1`,
      [anna.id],
    )
    world.advance(2 * HOUR_MS)
    await upkeep(world.deps)
    expect(refreshes(world)).toBe(1)
    expect(world.log.join()).toContain('could not be looked after')
  })

  test('forgets people who did not come back', async ({ world }) => {
    const { handlers, organizationId, pool } = world
    const redirectUri = 'https://herald.example/connect/callback/x'
    await handlers.beginConnect({ organizationId, platform: 'X', redirectUri })
    await upkeep(world.deps)
    expect((await pool.query('select from grants_under_way')).rows).toHaveLength(1)
    world.advance(15 * 60_000)
    await upkeep(world.deps)
    expect((await pool.query('select from grants_under_way')).rows).toEqual([])
  })
})

describe('the limits of an account', () => {
  const asked = ({ rotating }: ChannelsWorld) =>
    rotating.calls.filter((call) => call.startsWith('readLimits')).length

  test('are those that connecting told, in what posting and publishing are given', async ({
    world,
  }) => {
    const { handlers, organizationId } = world
    const { id: channelId } = await world.x()
    const limits = { tier: 'basic' }
    expect(await handlers.getForPosting({ organizationId, channelIds: [channelId] })).toMatchObject(
      { data: [{ limits }] },
    )
    expect(await handlers.access({ organizationId, channelId })).toMatchObject({ limits })
  })

  test('are asked for at once and then about daily, and noted when they have changed', async ({
    world,
  }) => {
    const { handlers, organizationId, rotating } = world
    const channel = await world.x()
    await upkeep(world.deps)
    expect(asked(world)).toBe(1)
    expect(await typesOf(world, channel.id)).toEqual(['ChannelConnected'])
    const { limitsIn } = await timesOf(world)
    expect(limitsIn).toBeGreaterThan(21 * 60)
    expect(limitsIn).toBeLessThan(27 * 60)
    rotating.told = { rules: { maxChars: 25_000 }, limits: { tier: 'premium' } }
    world.advance(20 * HOUR_MS)
    await upkeep(world.deps)
    expect(asked(world)).toBe(1)
    world.advance(7 * HOUR_MS)
    await upkeep(world.deps)
    expect(asked(world)).toBe(2)
    expect(await typesOf(world, channel.id)).toEqual(['ChannelConnected', 'ChannelLimitsChanged'])
    const rules = { ...channel.rules, maxChars: 25_000 }
    expect(await handlers.getForPosting({ organizationId, channelIds: [channel.id] })).toEqual({
      data: [{ ...channel, rules, limits: { tier: 'premium' } }],
    })
    expect(await handlers.checkProjections({})).toEqual({ streams: 1, mismatches: [] })
  })

  test('of a Mastodon instance are what the instance tells now', async ({ world }) => {
    const channel = await world.mastodon()
    world.platform.maxCharacters = 9_000
    await upkeep(world.deps)
    const { organizationId } = world
    expect(await world.handlers.list({ organizationId, channels: 'all' })).toEqual({
      data: [{ ...channel, rules: { ...channel.rules, maxChars: 9_000 } }],
    })
  })

  test('stay what they were while the platform does not answer', async ({ world }) => {
    const channel = await world.mastodon()
    world.platform.isDown = true
    await upkeep(world.deps)
    expect(await typesOf(world, channel.id)).toEqual(['ChannelConnected'])
    const { limitsIn } = await timesOf(world)
    expect(limitsIn).toBeGreaterThan(3)
    expect(limitsIn).toBeLessThan(7)
  })

  test('are never asked of a platform that has none to tell', async ({ world }) => {
    await world.bluesky()
    await world.pool.query('update credentials set limits_at = now()')
    await upkeep(world.deps)
    expect((await timesOf(world)).limitsIn).toBeNull()
  })
})
