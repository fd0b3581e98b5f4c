import { accounts, type Plan } from '@herald/contracts/accounts'
import { newId } from '@herald/contracts/ids'
import { describe, expect, test as base } from 'vitest'
import { digestOf, hashOf } from '../src/api-key.ts'
import { type AccountsWorld, accountsWorld, everythingStored, newPepper } from './accounts-world.ts'

const test = base.extend<{ world: AccountsWorld }>({
  world: async ({}, use) => {
    await using world = await accountsWorld()
    await use(world)
  },
})

const { createKey: contract } = accounts.operations

async function makeKey({ handlers }: AccountsWorld, facts: Record<string, unknown> = {}) {
  const { id: organizationId } = await handlers.createOrganization({ name: 'Bakery', plan: 'PRO' })
  const input = { organizationId, name: 'Website', scopes: ['read', 'publish'], ...facts }
  return contract.output.parse(await handlers.createKey(contract.input.parse(input)))
}

const verify = ({ handlers }: Pick<AccountsWorld, 'handlers'>, secret: string) =>
  handlers.verifyKey({ keyDigest: digestOf(secret) })

describe('a key', () => {
  test('answers with its organization and what it may do, in the shape of the contract', async ({
    world,
  }) => {
    const channels = [newId('channel')]
    const key = await makeKey(world, { channels, expiresAt: '2999-01-01T00:00:00+02:00' })
    const found = await verify(world, key.secret)
    expect(accounts.operations.verifyKey.output.parse(found)).toEqual({
      keyId: key.id,
      organization: { id: key.organizationId, name: 'Bakery', plan: 'PRO' },
      apiAccess: true,
      key: {
        name: 'Website',
        prefix: key.secret.slice(0, 16),
        scopes: ['read', 'publish'],
        channels,
        expiresAt: '2998-12-31T22:00:00.000Z',
      },
    })
  })

  test('without a list of channels is for all of them', async ({ world }) => {
    const key = await makeKey(world)
    expect((await verify(world, key.secret)).key.channels).toBe('all')
  })

  test('with an empty list of channels is for none', async ({ world }) => {
    const key = await makeKey(world, { channels: [] })
    expect((await verify(world, key.secret)).key.channels).toEqual([])
  })

  test('that is unknown, revoked, expired or of another pepper is refused in one and the same way', async ({
    world,
  }) => {
    const [revoked, live] = [await makeKey(world), await makeKey(world)]
    await world.handlers.revokeKey({ keyId: revoked.id })
    // The service's clock is years behind, so the key is made; the database's clock says that it is over.
    const slow = {
      ...world,
      handlers: world.handlersWith({ now: () => Date.parse('2020-01-01T00:00:00Z') }),
    }
    const expired = await makeKey(slow, { expiresAt: '2020-06-01T00:00:00Z' })
    const otherPepper = { handlers: world.handlersWith({ peppers: [newPepper(1)] }) }
    const refusals = await Promise.all(
      [
        verify(world, revoked.secret),
        verify(slow, expired.secret),
        verify(world, `${live.secret.slice(0, -1)}-`),
        verify(otherPepper, live.secret),
      ].map((attempt) =>
        attempt.then(
          () => 'let in',
          (error: unknown) => error,
        ),
      ),
    )
    for (const refusal of refusals)
      expect(refusal).toMatchObject({
        code: 'unauthorized',
        status: 401,
        message: 'The API key is missing or not valid.',
        details: undefined,
      })
    await expect(verify(world, live.secret)).resolves.toMatchObject({ keyId: live.id })
  })

  test('is nowhere in the database, not even its digest, and its hash is in no event', async ({
    world,
  }) => {
    const key = await makeKey(world)
    await verify(world, key.secret)
    await world.handlers.revokeKey({ keyId: key.id })
    const stored = await everythingStored(world.pool)
    expect(stored).toContain(key.prefix)
    for (const secret of [
      key.secret,
      key.secret.slice(16),
      digestOf(key.secret),
      world.pepper.secret.toString('base64'),
    ])
      expect(stored).not.toContain(secret)
    const hash = hashOf(digestOf(key.secret), world.pepper.secret)
    expect(stored.split(hash)).toHaveLength(2)
    const { rows } = await world.pool.query('select key_id from key_hashes where hash = $1', [hash])
    expect(rows).toEqual([{ key_id: key.id }])
  })

  test('is not made for an organization that does not exist', async ({ world }) => {
    const organizationId = newId('organization')
    await expect(makeKey(world, { organizationId })).rejects.toMatchObject({ status: 404 })
    expect(await world.handlers.listKeys({})).toEqual({ data: [] })
  })

  test('that expires in the past is not made', async ({ world }) => {
    const attempt = makeKey(world, { expiresAt: '2020-06-01T00:00:00Z' })
    await expect(attempt).rejects.toMatchObject({ code: 'validation_failed', status: 422 })
    const { rows } = await world.pool.query('select from key_hashes')
    expect(rows).toEqual([])
  })

  test('for something that is not a channel id is not made', async ({ world }) => {
    await expect(makeKey(world, { channels: ['chan_nonsense'] })).rejects.toThrow(
      /not a channel id/,
    )
  })
})

describe('revoking a key', () => {
  test('again, also at the same time, leaves it as it is and is one event', async ({ world }) => {
    const { id: keyId, secret: _, ...key } = await makeKey(world)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => world.handlers.revokeKey({ keyId })),
    )
    const again = await world.handlers.revokeKey({ keyId })
    expect(again).toMatchObject({ ...key, id: keyId, revokedAt: expect.any(String) })
    for (const answer of answers) expect(answer).toEqual(again)
    const { rows } = await world.pool.query('select type from events where stream_id = $1', [keyId])
    expect(rows).toEqual([{ type: 'KeyCreated' }, { type: 'KeyRevoked' }])
  })

  test('that does not exist is 404', async ({ world }) => {
    const attempt = world.handlers.revokeKey({ keyId: newId('key') })
    await expect(attempt).rejects.toMatchObject({ status: 404 })
  })
})

describe('the list of keys', () => {
  test('is newest first, of one organization or of all, and without the keys themselves', async ({
    world,
  }) => {
    const [first, second, third] = [
      await makeKey(world),
      await makeKey(world),
      await makeKey(world),
    ]
    const { data } = await world.handlers.listKeys({})
    expect(data.map(({ id }) => id)).toEqual([third.id, second.id, first.id])
    const own = await world.handlers.listKeys({ organizationId: second.organizationId })
    expect(accounts.operations.listKeys.output.parse(own).data.map(({ id }) => id)).toEqual([
      second.id,
    ])
    expect(JSON.stringify(data)).not.toContain(first.secret.slice(16))
  })
})

describe('an organization', () => {
  test.each([
    ['FREE', false],
    ['PRO', true],
    ['TEAM', true],
    ['ENTERPRISE', true],
  ] as [Plan, boolean][])('on plan %s has API access: %s', async (plan, apiAccess) => {
    await using world = await accountsWorld()
    const key = await makeKey(world)
    const organization = await world.handlers.setPlan({ organizationId: key.organizationId, plan })
    expect(await verify(world, key.secret)).toMatchObject({ organization, apiAccess })
    expect(await world.handlers.listOrganizations({})).toEqual({ data: [organization] })
  })

  test('has the limits of its plan', async ({ world }) => {
    const { organizationId } = await makeKey(world)
    await world.handlers.setPlan({ organizationId, plan: 'TEAM' })
    const limits = { requestsPerMinute: 120, requestsPerMonth: 50_000, postsPerMonth: 5_000 }
    expect(await world.handlers.limitsOf({ organizationId })).toEqual(limits)
    const attempt = world.handlers.limitsOf({ organizationId: newId('organization') })
    await expect(attempt).rejects.toMatchObject({ status: 404 })
  })

  test('that does not exist has no plan to set', async ({ world }) => {
    const attempt = world.handlers.setPlan({ organizationId: newId('organization'), plan: 'PRO' })
    await expect(attempt).rejects.toMatchObject({ status: 404 })
  })
})

describe('the read model', () => {
  test('is the fold of the events, and keeps everything when it is built anew', async ({
    world,
  }) => {
    const [key, revoked] = [
      await makeKey(world, { channels: [newId('channel')] }),
      await makeKey(world),
    ]
    await world.handlers.revokeKey({ keyId: revoked.id })
    await world.handlers.setPlan({ organizationId: key.organizationId, plan: 'TEAM' })
    const before = [await verify(world, key.secret), await world.handlers.listKeys({})]
    expect(await world.handlers.checkProjections({})).toEqual({ streams: 4, mismatches: [] })
    expect(await world.handlers.rebuildProjections({})).toEqual({ streams: 4 })
    expect(await world.handlers.checkProjections({})).toEqual({ streams: 4, mismatches: [] })
    expect([await verify(world, key.secret), await world.handlers.listKeys({})]).toEqual(before)
    await expect(verify(world, revoked.secret)).rejects.toMatchObject({ status: 401 })
  })

  test('that somebody changed by hand is found and repaired', async ({ world }) => {
    const key = await makeKey(world)
    await world.handlers.revokeKey({ keyId: key.id })
    await world.pool.query('update keys set revoked_at = null')
    expect((await world.handlers.checkProjections({})).mismatches).toEqual([key.id])
    await world.handlers.rebuildProjections({})
    await expect(verify(world, key.secret)).rejects.toMatchObject({ status: 401 })
  })
})
