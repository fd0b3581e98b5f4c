import { channels } from '@herald/contracts/channels'
import { newId } from '@herald/contracts/ids'
import { describe, expect, test as base } from 'vitest'
import { channelsHandlers } from '../src/handlers.ts'
import { type ChannelsWorld, channelsWorld, everythingStored, typesOf } from './channels-world.ts'

const test = base.extend<{ world: ChannelsWorld }>({
  world: async ({}, use) => {
    await using world = await channelsWorld()
    await use(world)
  },
})

const listAll = ({ handlers, organizationId }: ChannelsWorld) =>
  handlers.list({ organizationId, channels: 'all' })

describe('connecting an account', () => {
  test('makes a channel with what the platform says of the account and its own limits', async ({
    world,
  }) => {
    const channel = await world.mastodon()
    expect(channels.operations.connect.output.parse(channel)).toEqual({
      id: channel.id,
      platform: 'MASTODON',
      platformName: 'Mastodon',
      name: 'anna of Mastodon',
      username: 'anna',
      avatarUrl: 'https://social.example/anna.png',
      status: 'active',
      rules: {
        requiresMedia: false,
        requiresVideo: false,
        maxImages: 4,
        maxChars: 4_321,
        requiredFields: [],
      },
    })
    expect(await listAll(world)).toEqual({ data: [channel] })
  })

  test('again keeps the id of the channel, whatever became of it', async ({ world }) => {
    const { id: channelId, ...channel } = await world.mastodon()
    const one = { organizationId: world.organizationId, channelId }
    expect(await world.mastodon()).toEqual({ id: channelId, ...channel })
    await world.handlers.disconnect(one)
    expect(await world.mastodon()).toEqual({ id: channelId, ...channel })
    world.platform.tokens.clear()
    await world.handlers.reportDeadToken({ ...one, token: 'token-of-anna', reason: 'dead' })
    expect((await listAll(world)).data).toMatchObject([
      { id: channelId, status: 'reauth_required' },
    ])
    expect(await world.mastodon()).toEqual({ id: channelId, ...channel })
    expect((await world.handlers.access(one)).token).toBe('token-of-anna')
  })

  test('many times at once makes one channel', async ({ world }) => {
    const other = world.another()
    const { organizationId, platform } = world
    platform.tokens.set('token', 'anna')
    const account = { platform: 'MASTODON', credentials: { accessToken: 'token' } } as const
    const input = { organizationId, baseUrl: platform.url, ...account }
    const made = await Promise.all(
      [world.handlers, other, world.handlers, other].map((handlers) => handlers.connect(input)),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect((await listAll(world)).data).toHaveLength(1)
    const types = await typesOf(world, made[0]!.id)
    expect(types.filter((type) => type === 'ChannelConnected')).toHaveLength(1)
  })

  test('of two organizations makes two channels, and neither sees the other', async ({ world }) => {
    const channel = await world.mastodon()
    const organizationId = newId('organization')
    const account = { platform: 'MASTODON', credentials: { accessToken: 'token-of-anna' } } as const
    const foreign = await world.handlers.connect({
      organizationId,
      baseUrl: world.platform.url,
      ...account,
    })
    expect(foreign.id).not.toBe(channel.id)
    const { handlers } = world
    const channelIds = [channel.id, foreign.id]
    expect(await handlers.list({ organizationId, channels: 'all' })).toEqual({ data: [foreign] })
    expect(await handlers.list({ organizationId, channels: channelIds })).toEqual({
      data: [foreign],
    })
    expect(await handlers.getForPosting({ organizationId, channelIds })).toEqual({
      data: [{ ...foreign, limits: {} }],
    })
    const one = { organizationId, channelId: channel.id }
    for (const attempt of [
      () => handlers.access(one),
      () => handlers.disconnect(one),
      () => handlers.reportDeadToken({ ...one, token: 'token-of-anna', reason: '' }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found', status: 404 })
    expect(await listAll(world)).toEqual({ data: [channel] })
  })

  test('that the platform refuses is 422 with its sentence, and leaves nothing behind', async ({
    world,
  }) => {
    const attempt = world.handlers.connect({
      organizationId: world.organizationId,
      platform: 'MASTODON',
      baseUrl: world.platform.url,
      credentials: { accessToken: 'wrong' },
    })
    await expect(attempt).rejects.toMatchObject({
      status: 422,
      message: 'The Mastodon instance does not accept this access token.',
    })
    expect(await everythingStored(world)).not.toContain(world.organizationId)
  })

  test('at a platform that does not answer is 503, and leaves nothing behind', async ({
    world,
  }) => {
    world.platform.isDown = true
    await expect(world.mastodon()).rejects.toMatchObject({ status: 503 })
    expect(await everythingStored(world)).not.toContain(world.organizationId)
  })

  test('of a platform that Herald does not speak to is 422', async ({ world }) => {
    const handlers = channelsHandlers({ ...world.deps, platformOf: () => undefined })
    const attempt = handlers.connect({
      organizationId: world.organizationId,
      platform: 'PINTEREST',
      baseUrl: world.platform.url,
      credentials: {},
    })
    await expect(attempt).rejects.toMatchObject({ status: 422 })
  })

  test('at a private address is refused before anything is asked, unless it is allowed', async ({
    world,
  }) => {
    const handlers = channelsHandlers({ ...world.deps, allowPrivate: false })
    const attempt = handlers.connect({
      organizationId: world.organizationId,
      platform: 'MASTODON',
      baseUrl: world.platform.url,
      credentials: { accessToken: 'token' },
    })
    await expect(attempt).rejects.toMatchObject({ status: 422 })
    expect(world.platform.calls).toEqual([])
  })
})

describe('the list of channels', () => {
  test('is oldest first and has only those that the caller may see', async ({ world }) => {
    const [anna, ben] = [await world.mastodon('anna'), await world.bluesky('ben.example')]
    const { handlers, organizationId } = world
    expect(await listAll(world)).toEqual({ data: [anna, ben] })
    expect(await handlers.list({ organizationId, channels: [ben.id] })).toEqual({ data: [ben] })
    expect(await handlers.list({ organizationId, channels: [] })).toEqual({ data: [] })
  })
})

describe('disconnecting a channel', () => {
  test('takes it off the list and deletes its secrets', async ({ world }) => {
    const { id: channelId } = await world.bluesky()
    const one = { organizationId: world.organizationId, channelId }
    expect(await world.handlers.disconnect(one)).toMatchObject({ status: 'disconnected' })
    expect(await listAll(world)).toEqual({ data: [] })
    expect(await world.handlers.getForPosting({ ...one, channelIds: [channelId] })).toEqual({
      data: [],
    })
    await expect(world.handlers.access(one)).rejects.toMatchObject({ status: 404 })
    await expect(world.handlers.disconnect(one)).rejects.toMatchObject({ status: 404 })
    const { rows } = await world.pool.query('select from credentials')
    expect(rows).toEqual([])
  })
})

describe('secrets', () => {
  test('are nowhere in the database, in no event and in no line of the log', async ({ world }) => {
    const [mastodon, bluesky] = [await world.mastodon(), await world.bluesky()]
    const tokens = await Promise.all(
      [mastodon, bluesky].map(({ id: channelId }) =>
        world.handlers.access({ organizationId: world.organizationId, channelId }),
      ),
    )
    world.platform.tokens.clear()
    world.platform.passwords.clear()
    for (const { channelId, token } of tokens)
      await world.handlers.reportDeadToken({
        organizationId: world.organizationId,
        channelId,
        token,
        reason: 'dead',
      })
    const seen = [await everythingStored(world), ...world.log].join('\n')
    expect(seen).toContain(bluesky.id)
    for (const secret of [...tokens.map(({ token }) => token), 'password-of-', 'refresh-'])
      expect(seen).not.toContain(secret)
  })

  test('that were moved to another row give no access, and do not count as refused', async ({
    world,
  }) => {
    const [anna, ben] = [await world.mastodon('anna'), await world.mastodon('ben')]
    await world.pool.query(
      `update credentials set (nonce, ciphertext) =
         (select nonce, ciphertext from credentials where channel_id = $1) where channel_id = $2`,
      [anna.id, ben.id],
    )
    const { organizationId } = world
    const attempt = world.handlers.access({ organizationId, channelId: ben.id })
    await expect(attempt).rejects.toThrow(/unable to authenticate/)
    expect((await listAll(world)).data).toMatchObject([{ status: 'active' }, { status: 'active' }])
  })
})

describe('the read model', () => {
  test('is the fold of the events, and keeps everything when it is built anew', async ({
    world,
  }) => {
    const { handlers, organizationId } = world
    const [anna, ben, cleo] = [
      await world.mastodon('anna'),
      await world.bluesky(),
      await world.mastodon('cleo'),
    ]
    await handlers.disconnect({ organizationId, channelId: anna.id })
    await world.mastodon('anna')
    await handlers.disconnect({ organizationId, channelId: cleo.id })
    const before = await listAll(world)
    expect(await handlers.checkProjections({})).toEqual({ streams: 3, mismatches: [] })
    expect(await handlers.rebuildProjections({})).toEqual({ streams: 3 })
    expect(await handlers.checkProjections({})).toEqual({ streams: 3, mismatches: [] })
    expect(await listAll(world)).toEqual(before)
    expect((await handlers.access({ organizationId, channelId: ben.id })).channelId).toBe(ben.id)
    expect((await world.mastodon('cleo')).id).toBe(cleo.id)
  })
})

describe('a channel from before platforms told more than rules', () => {
  test('has no limits, in the read model and in the fold of its events', async ({ world }) => {
    const { organizationId, pool, handlers } = world
    const known = await world.mastodon()
    const id = newId('channel')
    await pool.query(
      `insert into streams select $1, type, organization_id, version from streams where stream_id = $2`,
      [id, known.id],
    )
    await pool.query(
      `insert into events (stream_id, version, event_id, organization_id, type, schema_version, data, meta)
       select $1, version, $3, organization_id, type, 1, data - 'limits', meta from events where stream_id = $2`,
      [id, known.id, newId('event')],
    )
    await handlers.rebuildProjections({})
    expect(await handlers.checkProjections({})).toEqual({ streams: 2, mismatches: [] })
    expect(await handlers.getForPosting({ organizationId, channelIds: [id] })).toEqual({
      data: [{ ...known, id, limits: {} }],
    })
  })
})
