import { channels } from '@herald/contracts/channels'
import { newId } from '@herald/contracts/ids'
import { describe, expect, test as base } from 'vitest'
import { shortCache } from '../src/short-cache.ts'
import { type ChannelsWorld, channelsWorld } from './channels-world.ts'

const test = base.extend<{ world: ChannelsWorld }>({
  world: async ({}, use) => {
    await using world = await channelsWorld()
    await use(world)
  },
})

const askFor = (
  { handlers, organizationId }: ChannelsWorld,
  channelId: string,
  query: Record<string, string> = {},
) => handlers.choices({ organizationId, channels: 'all', channelId, query })

const BOARDS = { field: 'pinterest.boardId', choices: [{ value: '1', label: 'Bread' }] }

describe('the choices of a channel', () => {
  test('are what the platform offers, and name the parameter that others need', async ({
    world,
  }) => {
    const { id } = await world.x()
    const answer = await askFor(world, id)
    expect(channels.operations.choices.output.parse(answer)).toEqual({
      data: [BOARDS, { field: 'reddit.flairId', choices: [], needs: 'subreddit' }],
    })
    const flairs = [{ value: 'f', label: 'Flair of bread' }]
    expect(await askFor(world, id, { subreddit: 'bread' })).toEqual({
      data: [BOARDS, { field: 'reddit.flairId', choices: flairs }],
    })
  })

  test('are none where nothing is to be chosen, and no parameter is known there', async ({
    world,
  }) => {
    const { id } = await world.bluesky()
    expect(await askFor(world, id)).toEqual({ data: [] })
    await expect(askFor(world, id, { subreddit: 'bread' })).rejects.toMatchObject({
      status: 422,
      details: { issues: [{ path: 'subreddit', message: 'is not asked for by this channel' }] },
    })
  })

  test('are asked for once in a minute for each question, whoever asks at the same time', async ({
    world,
  }) => {
    const { id } = await world.x()
    const asked = () => world.rotating.calls.filter((call) => call.startsWith('choices'))
    await Promise.all([askFor(world, id), askFor(world, id)])
    expect(asked()).toHaveLength(1)
    await askFor(world, id, { subreddit: 'bread' })
    await askFor(world, id, { subreddit: 'bread' })
    expect(asked()).toHaveLength(2)
    await askFor(world, (await world.x('ben')).id)
    expect(asked()).toHaveLength(3)
  })

  test('of another organization, or of a channel that the key does not see, are those of no channel', async ({
    world,
  }) => {
    const { handlers, organizationId } = world
    const { id: channelId } = await world.x()
    await askFor(world, channelId)
    const asked = { organizationId, channels: 'all', channelId, query: {} } as const
    for (const input of [
      { ...asked, organizationId: newId('organization') },
      { ...asked, channels: [newId('channel')] },
      { ...asked, channels: [] },
      { ...asked, channelId: newId('channel') },
    ])
      await expect(handlers.choices(input)).rejects.toMatchObject({
        code: 'not_found',
        message: 'There is no such connected channel.',
      })
    expect((await handlers.choices({ ...asked, channels: [channelId] })).data).toHaveLength(2)
    await handlers.disconnect({ organizationId, channelId })
    await expect(handlers.choices(asked)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('are 503 while the platform cannot be asked, and are asked for again after it', async ({
    world,
  }) => {
    const { id } = await world.x()
    world.rotating.isDown = true
    await expect(askFor(world, id)).rejects.toMatchObject({ status: 503 })
    world.rotating.isDown = false
    expect((await askFor(world, id)).data).toHaveLength(2)
  })

  test('of a grant that is over are 409, and the channel is marked', async ({ world }) => {
    const { handlers, organizationId } = world
    const { id } = await world.x()
    world.rotating.endGrants()
    for (let times = 0; times < 2; times++)
      await expect(askFor(world, id)).rejects.toMatchObject({
        code: 'reauth_required',
        details: { channelIds: [id] },
      })
    const { data } = await handlers.list({ organizationId, channels: 'all' })
    expect(data).toMatchObject([{ status: 'reauth_required' }])
  })
})

describe('answers that are kept for a short while', () => {
  test('end with their time, and the oldest go when there are too many', async () => {
    let now = 0
    let asked = 0
    const cache = shortCache<number>({ keepMs: 60_000, maxEntries: 2, elapsed: () => now })
    const get = (name: string) => cache.get(name, async () => (asked += 1))
    expect([await get('a'), await get('a'), await get('b')]).toEqual([1, 1, 2])
    now = 59_999
    expect(await get('a')).toBe(1)
    now = 60_000
    expect(await get('a')).toBe(3)
    expect([await get('c'), await get('a'), await get('b')]).toEqual([4, 3, 5])
  })
})
