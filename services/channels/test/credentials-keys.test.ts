import { randomBytes } from 'node:crypto'
import { loadConfig } from '@herald/service/config'
import { expect, test } from 'vitest'
import { ChannelsEnv } from '../src/config.ts'
import type { VersionedSecrets } from '@herald/service/versioned-secrets'
import { sealOldAgain } from '../src/seal-again.ts'
import { channelsWorld, type ChannelsWorld } from './channels-world.ts'

const [one, two] = [randomBytes(32), randomBytes(32)]
const base64 = (secret: Buffer) => secret.toString('base64')
const ENV = {
  DATABASE_URL: 'postgres://127.0.0.1/channels',
  NATS_URL: 'nats://127.0.0.1',
  RPC_SECRET: 'x'.repeat(32),
}

test.for([
  ['one key is version 1', { CREDENTIALS_KEY: base64(one) }, [1]],
  ['the first of a list seals', { CREDENTIALS_KEYS: `2:${base64(two)},1:${base64(one)}` }, [2, 1]],
  ['an empty list is none', { CREDENTIALS_KEYS: '', CREDENTIALS_KEY: base64(one) }, [1]],
  [
    'a list stands before the one key',
    { CREDENTIALS_KEYS: `2:${base64(two)}`, CREDENTIALS_KEY: base64(one) },
    [2, 1],
  ],
] satisfies [string, object, number[]][])('%s', ([, given, versions]) => {
  const { credentialsKeys } = loadConfig(ChannelsEnv, { ...ENV, ...given })
  expect(credentialsKeys.map(({ version }) => version)).toEqual(versions)
})

test.for([
  ['no key', {}, 'is needed'],
  [
    'a version twice',
    { CREDENTIALS_KEYS: `1:${base64(two)}`, CREDENTIALS_KEY: base64(one) },
    'twice',
  ],
  ['a key that is too short', { CREDENTIALS_KEYS: '1:c2hvcnQ=' }, '32 bytes'],
  ['no version', { CREDENTIALS_KEYS: base64(one) }, 'must be'],
] satisfies [string, object, string][])('%s is refused at the start', ([, given, reason]) => {
  expect(() => loadConfig(ChannelsEnv, { ...ENV, ...given })).toThrow(reason)
})

async function versionsOf({ pool }: ChannelsWorld): Promise<unknown> {
  const { rows } = await pool.query(
    'select key_version, count(*)::int as count from credentials group by 1 order by 1',
  )
  return rows
}

test('while a key is rotated every channel has its token, and at the end the old key is of no use', async () => {
  await using world = await channelsWorld()
  const { organizationId, deps } = world
  const connected = [
    await world.mastodon('anna'),
    await world.mastodon('ben'),
    await world.bluesky(),
  ]
  const tokens = (of: ReturnType<ChannelsWorld['another']>) =>
    Promise.all(
      connected.map(async ({ id }) => (await of.access({ organizationId, channelId: id })).token),
    )
  const before = await tokens(world.handlers)
  const newer = { version: 2, secret: two }
  // First every process learns to open the new version, then the new one seals.
  const learning: VersionedSecrets = [...deps.credentialsKeys, newer]
  const sealing: VersionedSecrets = [newer, ...deps.credentialsKeys]
  expect(await tokens(world.another(learning))).toEqual(before)
  await world.another(sealing).reportDeadToken({
    organizationId,
    channelId: connected[0]!.id,
    token: 'another token',
    reason: 'of no importance',
  })
  expect(await sealOldAgain(world.pool, sealing)).toEqual({ sealed: 3, unopened: 0 })
  expect(await versionsOf(world)).toEqual([{ key_version: 2, count: 3 }])
  expect(await sealOldAgain(world.pool, sealing)).toEqual({ sealed: 0, unopened: 0 })
  expect(await tokens(world.another(learning))).toEqual(before)
  expect(await tokens(world.another([newer]))).toEqual(before)
})

test('secrets that no given key opens stay as they are, and are counted', async () => {
  await using world = await channelsWorld()
  await world.mastodon()
  const wrong: VersionedSecrets = [
    { version: 2, secret: two },
    { version: 1, secret: one },
  ]
  expect(await sealOldAgain(world.pool, wrong)).toEqual({ sealed: 0, unopened: 1 })
  expect(await versionsOf(world)).toEqual([{ key_version: 1, count: 1 }])
})
