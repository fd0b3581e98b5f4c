import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { channels } from '@herald/contracts/channels'
import { newId } from '@herald/contracts/ids'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { testDatabase } from '@herald/testing/database'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { migrate } from '../src/migrate.ts'
import { start } from '../src/start.ts'
import { fakePlatform } from './fake-platform.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

test('a process that is killed between the answer of Bluesky and the commit has used up a refresh token, and a login helps', async () => {
  await using stack = new AsyncDisposableStack()
  const platform = stack.use(await fakePlatform())
  const nats = stack.use(await testNats())
  const database = stack.use(await testDatabase('channels', migrate))
  const env = {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    RPC_SECRET: randomBytes(32).toString('base64'),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    ALLOW_PRIVATE_PLATFORM_URLS: 'true',
    LOG_LEVEL: 'silent',
  }
  const logger = createLogger({ service: 'test', level: 'silent' })
  const bus = connectBus({ natsUrl: nats.url, name: 'test', logger })
  stack.defer(bus.close)
  await bus.connection()
  const client = rpcClient(channels, { bus, secret: '', logger })

  const first = await start(env)
  stack.defer(first.close)
  const organizationId = newId('organization')
  platform.passwords.set('anna.example', 'password')
  platform.lifetimeMs = 1_000
  const { id: channelId } = await client.connect({
    organizationId,
    platform: 'BLUESKY',
    baseUrl: platform.url,
    credentials: { identifier: 'anna.example', appPassword: 'password' },
  })
  await first.close()
  platform.lifetimeMs = 7_200_000
  platform.calls.length = 0

  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, ...env, HERALD_CRASH_AT: 'channels.renewed' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  stack.defer(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  await eventually(() => client.list({ organizationId, channels: 'all' }), { timeoutMs: 20_000 })
  // Its caller is never answered.
  void client.access({ organizationId, channelId }).catch(() => undefined)
  expect((await ended)[1]).toBe('SIGKILL')
  expect(platform.calls).toEqual(['com.atproto.server.refreshSession'])

  const next = await start(env)
  stack.defer(next.close)
  const { token } = await client.access({ organizationId, channelId })
  expect(token).toContain('.signature')
  expect(platform.calls).toContain('com.atproto.server.createSession')
  const { data } = await client.list({ organizationId, channels: 'all' })
  expect(data).toMatchObject([{ id: channelId, status: 'active' }])
})
