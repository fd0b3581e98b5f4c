import { randomBytes } from 'node:crypto'
import { channels } from '@herald/contracts/channels'
import { handle } from '@herald/event-store/handle'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test as base } from 'vitest'
import { channelStream } from '../src/channel-stream.ts'
import { putSecrets } from '../src/credentials.ts'
import { type ChannelsWorld, channelsWorld, expiredBluesky, typesOf } from './channels-world.ts'

const test = base.extend<{ world: ChannelsWorld }>({
  world: async ({}, use) => {
    await using world = await channelsWorld()
    await use(world)
  },
})

const statusOf = async ({ handlers, organizationId }: ChannelsWorld, id: string) =>
  (await handlers.list({ organizationId, channels: [id] })).data[0]?.status

/** How many connections to this database wait for a lock. */
async function waitingForLocks({ pool }: ChannelsWorld): Promise<number> {
  const { rows } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

describe('access to a channel', () => {
  test('is what a publisher needs, and asks the platform nothing while the kept token is good', async ({
    world,
  }) => {
    const { handlers, organizationId, platform } = world
    const [mastodon, bluesky] = [await world.mastodon(), await world.bluesky()]
    platform.calls.length = 0
    platform.isDown = true
    const given = await handlers.access({ organizationId, channelId: mastodon.id })
    expect(channels.operations.access.output.parse(given)).toEqual({
      channelId: mastodon.id,
      platform: 'MASTODON',
      baseUrl: platform.url,
      token: 'token-of-anna',
      account: 'id-of-anna',
      username: 'anna',
      settings: {},
      limits: {},
    })
    expect(await handlers.access({ organizationId, channelId: bluesky.id })).toMatchObject({
      account: 'did:plc:anna.example',
      token: expect.stringContaining('.signature'),
    })
    expect(platform.calls).toEqual([])
  })

  test('for many publishers at once renews the token once, over all processes', async ({
    world,
  }) => {
    const { id: channelId } = await expiredBluesky(world)
    const one = { organizationId: world.organizationId, channelId }
    const gate = Promise.withResolvers<void>()
    world.platform.gate = gate.promise
    const here = [world.handlers.access(one), world.handlers.access(one)]
    await eventually(() => expect(world.platform.calls).toHaveLength(1))
    const elsewhere = world.another()
    const there = [elsewhere.access(one), elsewhere.access(one)]
    await eventually(async () => expect(await waitingForLocks(world)).toBe(1))
    gate.resolve()
    const given = await Promise.all([...here, ...there])
    expect(new Set(given.map(({ token }) => token)).size).toBe(1)
    expect(world.platform.calls).toEqual(['com.atproto.server.refreshSession'])
    expect((await world.handlers.access(one)).token).toBe(given[0]!.token)
    expect(world.platform.calls).toHaveLength(1)
  })

  test('survives a refresh token that is used up, by a new login', async ({ world }) => {
    const { id: channelId } = await expiredBluesky(world)
    const one = { organizationId: world.organizationId, channelId }
    const { rows } = await world.pool.query('select * from credentials')
    await world.handlers.access(one)
    // As after a crash between the platform's answer and the commit: the old refresh token is stored again.
    const { nonce, ciphertext } = rows[0] as { nonce: Buffer; ciphertext: Buffer }
    await world.pool.query('update credentials set nonce = $1, ciphertext = $2', [
      nonce,
      ciphertext,
    ])
    expect((await world.handlers.access(one)).token).toContain('.signature')
    expect(world.platform.calls).toContain('com.atproto.server.createSession')
    expect(await statusOf(world, channelId)).toBe('active')
  })

  test('whose grant the platform refuses makes the channel reauth_required, once, and others hear of it', async ({
    world,
  }) => {
    const { id: channelId } = await expiredBluesky(world)
    const one = { organizationId: world.organizationId, channelId }
    world.platform.passwords.clear()
    world.platform.refreshTokens.clear()
    await world.pool.query('delete from outbox')
    const attempts = Array.from({ length: 3 }, () => world.handlers.access(one))
    for (const outcome of await Promise.allSettled(attempts))
      expect(outcome).toMatchObject({
        reason: { code: 'reauth_required', status: 409, details: { channelIds: [channelId] } },
      })
    expect(await statusOf(world, channelId)).toBe('reauth_required')
    const { rows } = await world.pool.query(
      'select type, data from outbox join events using (stream_id, version)',
    )
    expect(rows).toEqual([
      {
        type: 'ChannelReauthRequired',
        data: {
          platform: 'BLUESKY',
          username: 'anna.example',
          reason: 'Bluesky does not accept this handle and app password.',
        },
      },
    ])
    world.platform.calls.length = 0
    await expect(world.handlers.access(one)).rejects.toMatchObject({ code: 'reauth_required' })
    expect(world.platform.calls).toEqual([])
    expect((await world.bluesky()).status).toBe('active')
  })

  test('while the platform does not answer is 503, and never makes a channel reauth_required', async ({
    world,
  }) => {
    const { id: channelId } = await expiredBluesky(world)
    const one = { organizationId: world.organizationId, channelId }
    world.platform.isDown = true
    for (let times = 0; times < 3; times++)
      await expect(world.handlers.access(one)).rejects.toMatchObject({ status: 503 })
    expect(await typesOf(world, channelId)).toEqual(['ChannelConnected'])
    world.platform.isDown = false
    expect((await world.handlers.access(one)).token).toContain('.signature')
  })

  test('with secrets that cannot be opened is an error of Herald and no refusal of the platform', async ({
    world,
  }) => {
    const { id: channelId } = await world.mastodon()
    const misconfigured = world.another([{ version: 1, secret: randomBytes(32) }])
    const attempt = misconfigured.access({ organizationId: world.organizationId, channelId })
    await expect(attempt).rejects.toThrow(/unable to authenticate/)
    expect(await statusOf(world, channelId)).toBe('active')
  })
})

describe('while a platform is being asked', () => {
  test('calls for other channels are answered, and another process gets 503 in the end', async ({
    world,
  }) => {
    const { handlers, organizationId, platform } = world
    const mastodon = await world.mastodon()
    const { id: channelId } = await expiredBluesky(world)
    const one = { organizationId, channelId }
    const gate = Promise.withResolvers<void>()
    platform.gate = gate.promise
    const asking = Promise.all(Array.from({ length: 20 }, () => handlers.access(one)))
    await eventually(() => expect(platform.calls).toHaveLength(1))
    expect(await handlers.access({ organizationId, channelId: mastodon.id })).toMatchObject({
      token: 'token-of-anna',
    })
    const elsewhere = world.another()
    const late = [elsewhere.access(one), elsewhere.disconnect(one), handlers.disconnect(one)]
    for (const outcome of await Promise.allSettled(late))
      expect(outcome).toMatchObject({ reason: { code: 'internal_error', status: 503 } })
    gate.resolve()
    expect(new Set((await asking).map(({ token }) => token)).size).toBe(1)
    expect(platform.calls).toHaveLength(1)
    expect(await handlers.disconnect(one)).toMatchObject({ status: 'disconnected' })
  })
})

describe('a dead token', () => {
  test('that is not the kept one is old news: nobody is asked', async ({ world }) => {
    const { id: channelId } = await world.mastodon()
    const one = { organizationId: world.organizationId, channelId }
    world.platform.calls.length = 0
    const report = { ...one, token: 'an older one', reason: 'dead' }
    expect(await world.handlers.reportDeadToken(report)).toMatchObject({ status: 'active' })
    expect(world.platform.calls).toEqual([])
  })

  test('is replaced when the grant is good', async ({ world }) => {
    const { id: channelId } = await world.bluesky()
    const one = { organizationId: world.organizationId, channelId }
    const { token } = await world.handlers.access(one)
    const report = { ...one, token, reason: 'dead' }
    expect(await world.handlers.reportDeadToken(report)).toMatchObject({ status: 'active' })
    const renewed = await world.handlers.access(one)
    expect(renewed.token).not.toBe(token)
    world.platform.calls.length = 0
    await world.handlers.reportDeadToken(report)
    expect(world.platform.calls).toEqual([])
    expect((await world.handlers.access(one)).token).toBe(renewed.token)
  })

  test('is dead by the word of the platform only', async ({ world }) => {
    const { id: channelId } = await world.mastodon()
    const one = { organizationId: world.organizationId, channelId }
    const report = { ...one, token: 'token-of-anna', reason: 'dead' }
    expect(await world.handlers.reportDeadToken(report)).toMatchObject({ status: 'active' })
    world.platform.isDown = true
    await expect(world.handlers.reportDeadToken(report)).rejects.toMatchObject({ status: 503 })
    expect(await statusOf(world, channelId)).toBe('active')
    world.platform.isDown = false
    world.platform.tokens.clear()
    const marked = await world.handlers.reportDeadToken(report)
    expect(channels.operations.reportDeadToken.output.parse(marked).status).toBe('reauth_required')
    expect(await world.handlers.reportDeadToken(report)).toEqual(marked)
    expect(await typesOf(world, channelId)).toEqual(['ChannelConnected', 'ChannelReauthRequired'])
  })
})

describe('a refusal that comes late', () => {
  test('does not undo a connection that was made meanwhile', async ({ world }) => {
    const { organizationId, deps, platform } = world
    const { id: channelId, ...shown } = await expiredBluesky(world)
    const owner = { organizationId, channelId }
    platform.passwords.clear()
    platform.refreshTokens.clear()
    const gate = Promise.withResolvers<void>()
    platform.gate = gate.promise
    const refused = Promise.allSettled([world.another().access(owner)])
    await eventually(() => expect(platform.calls).toHaveLength(1))
    const client = await world.pool.connect()
    await client.query('begin')
    await client.query('select from streams where stream_id = $1 for update', [channelId])
    gate.resolve()
    // Now the refusal is known, the lock on the secrets is gone, and its event waits for the stream.
    await eventually(async () => expect(await waitingForLocks(world)).toBe(1))
    const { platformName: _, status: __, ...facts } = shown
    const account = { baseUrl: platform.url, account: 'did:plc:anna.example' }
    const connect = {
      type: 'Connect',
      organizationId,
      now: '',
      facts: { ...facts, ...account, limits: {} },
    } as const
    await handle(deps.store, channelStream, channelId, connect, {
      organizationId,
      meta: {},
      within: client,
      riders: [
        putSecrets(
          {
            secrets: { identifier: 'anna.example' },
            expiresAt: null,
            renewAt: null,
            grantId: 'grant',
            limitsAt: null,
          },
          owner,
          deps.credentialsKeys,
        ),
      ],
    })
    await client.query('commit')
    client.release()
    expect(await refused).toMatchObject([{ reason: { code: 'internal_error', status: 503 } }])
    expect(await statusOf(world, channelId)).toBe('active')
    expect(await typesOf(world, channelId)).toEqual(['ChannelConnected', 'ChannelReconnected'])
  })
})
