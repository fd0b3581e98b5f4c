import { eventually } from '@herald/testing/eventually'
import { describe, expect, test as base } from 'vitest'
import { digestOf, hashOf } from '../src/api-key.ts'
import type { VersionedSecrets } from '@herald/service/versioned-secrets'
import { type AccountsWorld, accountsWorld, everythingStored, newPepper } from './accounts-world.ts'

const test = base.extend<{ world: AccountsWorld }>({
  world: async ({}, use) => {
    await using world = await accountsWorld()
    await use(world)
  },
})

const UNAUTHORIZED = { code: 'unauthorized', status: 401 }

async function makeKey({ handlers }: Pick<AccountsWorld, 'handlers'>) {
  const { id: organizationId } = await handlers.createOrganization({ name: 'Bakery', plan: 'PRO' })
  const facts = { name: 'Website', scopes: ['read' as const], channels: 'all' as const }
  return handlers.createKey({ organizationId, ...facts, expiresAt: null })
}

const verify = (world: AccountsWorld, peppers: VersionedSecrets, secret: string) =>
  world.handlersWith({ peppers }).verifyKey({ keyDigest: digestOf(secret) })

async function hashesIn({ pool }: AccountsWorld) {
  const { rows } = await pool.query<{ hash: string; pepper_version: number }>(
    'select hash, pepper_version from key_hashes order by key_id',
  )
  return rows
}

describe('the rotation of peppers', () => {
  test('goes on without a refusal: a used key moves to the newest, and then the old one may go', async ({
    world,
  }) => {
    const [old, next] = [world.pepper, newPepper(2)]
    const [used, unused] = [await makeKey(world), await makeKey(world)]
    expect(await verify(world, [next, old], used.secret)).toMatchObject({ keyId: used.id })
    await eventually(async () =>
      expect(await hashesIn(world)).toEqual([
        { hash: hashOf(digestOf(used.secret), next.secret), pepper_version: 2 },
        { hash: hashOf(digestOf(unused.secret), old.secret), pepper_version: 1 },
      ]),
    )
    expect(await verify(world, [next], used.secret)).toMatchObject({ keyId: used.id })
    await expect(verify(world, [next], unused.secret)).rejects.toMatchObject(UNAUTHORIZED)
    await expect(verify(world, [old], used.secret)).rejects.toMatchObject(UNAUTHORIZED)
    const { data } = await world.handlers.listKeys({})
    expect(data.map(({ id, pepperVersion }) => [id, pepperVersion])).toEqual([
      [unused.id, 1],
      [used.id, 2],
    ])
  })

  test('makes new keys with the first pepper', async ({ world }) => {
    const next = newPepper(2)
    const handlers = world.handlersWith({ peppers: [next, world.pepper] })
    const key = await makeKey({ handlers })
    expect(key.pepperVersion).toBe(2)
    expect(await hashesIn(world)).toEqual([
      { hash: hashOf(digestOf(key.secret), next.secret), pepper_version: 2 },
    ])
  })

  test('leaves a key with the next pepper, which an instance that still makes hashes with the old one accepts', async ({
    world,
  }) => {
    const [old, next] = [world.pepper, newPepper(2)]
    const key = await makeKey({ handlers: world.handlersWith({ peppers: [next, old] }) })
    await verify(world, [old, next], key.secret)
    await usesNoted(world, 1)
    expect(await hashesIn(world)).toMatchObject([{ pepper_version: 2 }])
  })

  test('accepts a hash only with the pepper whose version stands beside it', async ({ world }) => {
    const key = await makeKey(world)
    const sameSecret = { version: 2, secret: world.pepper.secret }
    await expect(verify(world, [sameSecret], key.secret)).rejects.toMatchObject(UNAUTHORIZED)
  })

  test('does not bring back a key that is revoked', async ({ world }) => {
    const key = await makeKey(world)
    await world.handlers.revokeKey({ keyId: key.id })
    const peppers: VersionedSecrets = [newPepper(2), world.pepper]
    await expect(verify(world, peppers, key.secret)).rejects.toMatchObject(UNAUTHORIZED)
    expect(await hashesIn(world)).toMatchObject([{ pepper_version: 1 }])
  })

  test('by many requests at once is done once, and leaves nothing of key or peppers in the database', async ({
    world,
  }) => {
    const peppers: VersionedSecrets = [newPepper(3), newPepper(2), world.pepper]
    const key = await makeKey(world)
    await Promise.all(Array.from({ length: 30 }, () => verify(world, peppers, key.secret)))
    await eventually(async () =>
      expect(await hashesIn(world)).toEqual([
        { hash: hashOf(digestOf(key.secret), peppers[0].secret), pepper_version: 3 },
      ]),
    )
    const stored = await everythingStored(world.pool)
    for (const secret of [key.secret, digestOf(key.secret)]) expect(stored).not.toContain(secret)
    for (const { secret } of peppers) expect(stored).not.toContain(secret.toString('base64'))
  })
})

/** Counts every change of the row of a key's hash. */
async function countChanges({ pool }: AccountsWorld) {
  await pool.query(`
    create table changes (at timestamptz default clock_timestamp());
    create function note_change() returns trigger language plpgsql security definer as $$
    begin insert into changes default values; return new; end $$;
    create trigger note_change before update on key_hashes for each row execute function note_change()`)
  return async () => (await pool.query('select from changes')).rowCount
}

async function usesNoted({ pool }: AccountsWorld, count: number): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await pool.query('select from key_hashes where last_used_at is not null')
    expect(rowCount).toBe(count)
  })
}

describe('the last use of a key', () => {
  test('is unknown until it is used, and then shown in the list', async ({ world }) => {
    const key = await makeKey(world)
    expect(key.lastUsedAt).toBeNull()
    expect((await world.handlers.listKeys({})).data).toMatchObject([{ lastUsedAt: null }])
    await verify(world, [world.pepper], key.secret)
    await eventually(async () => {
      const { data } = await world.handlers.listKeys({})
      const age = Date.now() - Date.parse(data[0]?.lastUsedAt ?? '')
      expect(age).toBeGreaterThan(-60_000)
      expect(age).toBeLessThan(60_000)
    })
  })

  test('is written at most once a minute, however many use it at once', async ({ world }) => {
    const changes = await countChanges(world)
    const key = await makeKey(world)
    const useOften = () =>
      Promise.all(Array.from({ length: 30 }, () => verify(world, [world.pepper], key.secret)))
    await useOften()
    await usesNoted(world, 1)
    await useOften()
    await world.pool.query('alter table key_hashes disable trigger note_change')
    await world.pool.query(
      `update key_hashes set last_used_at = last_used_at - interval '1 minute'`,
    )
    await world.pool.query('alter table key_hashes enable trigger note_change')
    await useOften()
    await eventually(async () => expect(await changes()).toBe(2))
  })

  test('is of no account for the answer: when it cannot be noted, the key is good all the same', async ({
    world,
  }) => {
    const key = await makeKey(world)
    await world.pool.query(`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'no room'; end $$;
      create trigger refuse before update on key_hashes for each row execute function refuse()`)
    const peppers: VersionedSecrets = [newPepper(2), world.pepper]
    for (let use = 0; use < 3; use++)
      expect(await verify(world, peppers, key.secret)).toMatchObject({ keyId: key.id })
    expect(await hashesIn(world)).toMatchObject([{ pepper_version: 1 }])
  })
})
