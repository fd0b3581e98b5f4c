import { channels } from '@herald/contracts/channels'
import { newId } from '@herald/contracts/ids'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test as base } from 'vitest'
import { type ChannelsWorld, channelsWorld, everythingStored } from './channels-world.ts'

const test = base.extend<{ world: ChannelsWorld }>({
  world: async ({}, use) => {
    await using world = await channelsWorld()
    await use(world)
  },
})

const redirectUri = 'https://herald.example/connect/callback/x'
const NOT_VALID = { code: 'not_found', message: expect.stringContaining('not valid any more') }

/** Sends a person to X; gives the state with which the person comes back. */
async function begin(world: ChannelsWorld, organizationId = world.organizationId, name?: string) {
  const asked = { organizationId, platform: 'X', redirectUri, name } as const
  const { url } = await world.handlers.beginConnect(asked)
  return new URL(url).searchParams.get('state') ?? ''
}

const finish = ({ handlers }: ChannelsWorld, state: string, more: Record<string, string> = {}) =>
  handlers.finishConnect({ platform: 'X', query: { state, code: 'code-1', ...more } })

describe('a person who is sent to a platform', () => {
  test('comes back with a state, and the account is a channel of the organization that began', async ({
    world,
  }) => {
    const { handlers, organizationId, rotating } = world
    const begun = await handlers.beginConnect({ organizationId, platform: 'X', redirectUri })
    expect(channels.operations.beginConnect.output.parse(begun)).toEqual(begun)
    const { searchParams } = new URL(begun.url)
    expect(searchParams.get('redirect_uri')).toBe(redirectUri)
    const finished = await finish(world, searchParams.get('state') ?? '', {
      organization: newId('organization'),
    })
    expect(channels.operations.finishConnect.output.parse(finished)).toMatchObject({
      outcome: 'connected',
      channels: [{ platform: 'X', username: '@anna', status: 'active' }],
    })
    expect(rotating.calls).toEqual(['begin', `finish code-1 verifier-1 ${redirectUri}`])
    const { data } = await handlers.list({ organizationId, channels: 'all' })
    expect({ outcome: 'connected', channels: data }).toEqual(finished)
  })

  test('may give the channel a name of their own', async ({ world }) => {
    const state = await begin(world, world.organizationId, 'Bakery')
    expect(await finish(world, state)).toMatchObject({ channels: [{ name: 'Bakery' }] })
  })

  test('connects an account again without losing the id of its channel', async ({ world }) => {
    const { handlers, organizationId } = world
    const known = await world.x()
    world.rotating.endGrants()
    const { token } = await handlers.access({ organizationId, channelId: known.id })
    const report = { organizationId, channelId: known.id, token, reason: 'dead' }
    expect(await handlers.reportDeadToken(report)).toMatchObject({ status: 'reauth_required' })
    expect(await finish(world, await begin(world))).toEqual({
      outcome: 'connected',
      channels: [known],
    })
    expect((await handlers.access({ organizationId, channelId: known.id })).token).not.toBe(token)
  })
})

describe('a state', () => {
  test('is good once, also for two who show it at the same time', async ({ world }) => {
    const state = await begin(world)
    const answers = await Promise.allSettled([
      finish(world, state),
      world.another().finishConnect({ platform: 'X', query: { state, code: 'code-1' } }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(finish(world, state)).rejects.toMatchObject(NOT_VALID)
    expect(world.rotating.calls.filter((call) => call.startsWith('finish'))).toHaveLength(1)
  })

  test.each<[string, (world: ChannelsWorld) => Promise<unknown>]>([
    ['is unknown', (world) => finish(world, 'x'.repeat(43))],
    ['is missing', ({ handlers }) => handlers.finishConnect({ platform: 'X', query: {} })],
    [
      'has expired',
      async (world) => {
        const state = await begin(world)
        world.advance(15 * 60_000)
        return finish(world, state)
      },
    ],
    [
      'was made for another platform',
      async (world) => {
        const query = { state: await begin(world), code: 'code-1' }
        return world.handlers.finishConnect({ platform: 'MASTODON', query })
      },
    ],
    [
      'was made for a choice',
      async (world) => {
        const [platform, token] = ['X' as const, await begin(world)]
        return world.handlers.chooseAccounts({ platform, token, accounts: ['anna'] })
      },
    ],
    [
      'was burnt by being shown for another platform',
      async (world) => {
        const state = await begin(world)
        const other = { platform: 'MASTODON' as const, query: { state } }
        await expect(world.handlers.finishConnect(other)).rejects.toMatchObject(NOT_VALID)
        return finish(world, state)
      },
    ],
  ])(
    'that %s is refused like every other one, and the platform is not asked',
    async (_, attempt) => {
      await using world = await channelsWorld()
      await expect(attempt(world)).rejects.toMatchObject(NOT_VALID)
      expect(world.rotating.calls.filter((call) => call.startsWith('finish'))).toEqual([])
    },
  )

  test('opens only in its own row: one that was moved to another organization is an error', async ({
    world,
  }) => {
    const state = await begin(world)
    const other = newId('organization')
    await world.pool.query('update grants_under_way set organization_id = $1', [other])
    await expect(finish(world, state)).rejects.toThrow(/unable to authenticate/)
    expect(await world.handlers.list({ organizationId: other, channels: 'all' })).toEqual({
      data: [],
    })
  })

  test('is used up by a person who denies access, with the words of the platform', async ({
    world,
  }) => {
    const state = await begin(world)
    await expect(finish(world, state, { error: 'access_denied' })).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'X did not grant access: access_denied.',
    })
    await expect(finish(world, state)).rejects.toMatchObject(NOT_VALID)
  })

  test('is used up while the platform does not answer: its code may have been used', async ({
    world,
  }) => {
    const state = await begin(world)
    world.rotating.isDown = true
    await expect(finish(world, state)).rejects.toMatchObject({ status: 503 })
    world.rotating.isDown = false
    await expect(finish(world, state)).rejects.toMatchObject(NOT_VALID)
  })
})

describe('several accounts of one grant', () => {
  const ACCOUNTS = ['anna', 'ben', 'cleo']

  async function granted(world: ChannelsWorld) {
    world.rotating.granted = ACCOUNTS
    const answer = await finish(world, await begin(world, world.organizationId, 'Bakery'))
    if (answer.outcome !== 'choose') throw new Error('There is nothing to choose.')
    return answer
  }

  test('are chosen from: those that are chosen become channels, and no other', async ({
    world,
  }) => {
    const { token, accounts } = await granted(world)
    expect(accounts).toEqual(
      ACCOUNTS.map((account) => ({
        account,
        name: `${account} <b>of</b> X`,
        username: `@${account}`,
      })),
    )
    const { handlers, organizationId } = world
    expect(await handlers.list({ organizationId, channels: 'all' })).toEqual({ data: [] })
    const chosen = ['ben', 'cleo', 'somebody else']
    const answer = await handlers.chooseAccounts({ platform: 'X', token, accounts: chosen })
    expect(answer.channels.map(({ username }) => username)).toEqual(['@ben', '@cleo'])
    expect(await handlers.list({ organizationId, channels: 'all' })).toEqual({
      data: answer.channels,
    })
    const again = handlers.chooseAccounts({ platform: 'X', token, accounts: ['anna'] })
    await expect(again).rejects.toMatchObject(NOT_VALID)
  })

  test('may be one: the name of the person is for that one', async ({ world }) => {
    const { token } = await granted(world)
    const chosen = { platform: 'X' as const, token, accounts: ['ben'] }
    expect(await world.handlers.chooseAccounts(chosen)).toMatchObject({
      channels: [{ username: '@ben', name: 'Bakery' }],
    })
  })

  test.each([[[]], [['somebody else']]])('with %j chosen connect none', async (accounts) => {
    await using world = await channelsWorld()
    const { token } = await granted(world)
    const answer = world.handlers.chooseAccounts({ platform: 'X', token, accounts })
    await expect(answer).rejects.toMatchObject({ code: 'validation_failed' })
  })

  test('may be none: that is told, and nothing is connected', async ({ world }) => {
    world.rotating.granted = []
    await expect(finish(world, await begin(world))).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'X granted access, but to no account that Herald can post to.',
    })
  })

  test('that share a grant lose it with the last of them only', async ({ world }) => {
    const { token } = await granted(world)
    const { handlers, organizationId, rotating } = world
    const chosen = { platform: 'X' as const, token, accounts: ['anna', 'ben'] }
    const { channels: connected } = await handlers.chooseAccounts(chosen)
    const [anna, ben] = connected.map(({ id: channelId }) => ({ organizationId, channelId }))
    await handlers.disconnect(anna!)
    await handlers.disconnect(ben!)
    await eventually(() => expect(rotating.revoked).toHaveLength(1))
    expect(rotating.revoked[0]).toContain('-of-ben')
  })
})

describe('beginning', () => {
  test.each([
    ['BLUESKY', 'Bluesky is connected with credentials; there is no page to grant access on.'],
    ['MASTODON', 'Mastodon has many instances. Give the address of one.'],
  ] as const)('of %s is refused: %s', async (platform, message) => {
    await using world = await channelsWorld()
    const baseUrl = platform === 'MASTODON' ? undefined : world.platform.url
    const { organizationId } = world
    const begun = world.handlers.beginConnect({ organizationId, platform, baseUrl, redirectUri })
    await expect(begun).rejects.toMatchObject({ code: 'validation_failed', message })
  })

  test('at a platform that does not answer is 503, and keeps nothing', async ({ world }) => {
    world.rotating.isDown = true
    await expect(begin(world)).rejects.toMatchObject({ status: 503 })
    expect((await world.pool.query('select from grants_under_way')).rows).toEqual([])
  })
})

describe('a disconnected channel', () => {
  test('has its grant ended at the platform, and a platform that does not answer changes nothing', async ({
    world,
  }) => {
    const { handlers, organizationId, rotating } = world
    const [anna, ben] = [await world.x('anna'), await world.x('ben')]
    await handlers.disconnect({ organizationId, channelId: anna.id })
    await eventually(() => expect(rotating.revoked).toEqual([expect.stringContaining('anna')]))
    rotating.isDown = true
    expect(await handlers.disconnect({ organizationId, channelId: ben.id })).toMatchObject({
      status: 'disconnected',
    })
    await eventually(() => expect(world.log.join()).toContain('was not ended'))
    expect(rotating.revoked).toHaveLength(1)
  })
})

test('no state, code, verifier, token or secret of the app is in the database or the log as it is', async ({
  world,
}) => {
  const { handlers, organizationId, rotating } = world
  const states = [await begin(world), await begin(world)]
  rotating.granted = ['anna', 'ben']
  const answer = await finish(world, states[0]!)
  const token = answer.outcome === 'choose' ? answer.token : ''
  const seen = [await everythingStored(world)]
  await handlers.chooseAccounts({ platform: 'X', token, accounts: ['anna'] })
  const { data } = await handlers.list({ organizationId, channels: 'all' })
  await handlers.disconnect({ organizationId, channelId: data[0]!.id })
  await eventually(() => expect(rotating.revoked).toHaveLength(1))
  const everything = [...seen, await everythingStored(world), ...world.log].join('\n')
  expect(everything).toContain(organizationId)
  const secrets = [...states, token, 'verifier-', 'code-1', 'refresh-', 'access-', 'secret-of-x']
  for (const secret of secrets) expect(everything).not.toContain(secret)
})
