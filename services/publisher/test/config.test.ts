import { loadConfig } from '@herald/service/config'
import { expect, test } from 'vitest'
import { PublisherEnv } from '../src/config.ts'
import { start } from '../src/start.ts'

const ENV = {
  MEDIA_FILES_URL: 'http://127.0.0.1:8081',
  DATABASE_URL: 'postgres://localhost:1/publisher',
  NATS_URL: 'nats://127.0.0.1:1',
  RPC_SECRET: 'x'.repeat(32),
}

test('unknown outcomes are looked up 5 s, 30 s, 2 min and 10 min after the call unless it is set', () => {
  expect(loadConfig(PublisherEnv, ENV).RECONCILE_SECONDS).toEqual([5, 30, 120, 600])
  const set = { ...ENV, RECONCILE_SECONDS: '0.1,2' }
  expect(loadConfig(PublisherEnv, set).RECONCILE_SECONDS).toEqual([0.1, 2])
  for (const wrong of ['', 'soon', '5,,30', '0', '-1'])
    expect(() => loadConfig(PublisherEnv, { ...ENV, RECONCILE_SECONDS: wrong })).toThrow(
      /RECONCILE_SECONDS/,
    )
})

test('a lease that could end during a live call is refused at boot', async () => {
  const tooShort = { ...ENV, COMMIT_TIMEOUT_SECONDS: '30', LEASE_SECONDS: '44' }
  await expect(start(tooShort)).rejects.toThrow(/LEASE_SECONDS/)
  const enough = { ...ENV, COMMIT_TIMEOUT_SECONDS: '30', LEASE_SECONDS: '45' }
  expect(loadConfig(PublisherEnv, enough)).toMatchObject({ LEASE_SECONDS: 45 })
})
