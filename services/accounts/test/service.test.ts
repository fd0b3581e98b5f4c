import { randomBytes } from 'node:crypto'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { accounts } from '@herald/contracts/accounts'
import { CloudEvent, EVENTS_STREAM } from '@herald/contracts/events'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { testDatabase } from '@herald/testing/database'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { describe, expect, test } from 'vitest'
import { digestOf } from '../src/api-key.ts'
import { migrate } from '../src/migrate.ts'
import { start } from '../src/start.ts'

const logger = createLogger({ service: 'test', level: 'silent' })

describe('the running service', () => {
  test('answers calls, and tells others of keys made and revoked without saying what lets anybody call', async () => {
    await using stack = new AsyncDisposableStack()
    const nats = stack.use(await testNats())
    const database = stack.use(await testDatabase('accounts', migrate))
    const secret = randomBytes(32).toString('base64')
    const service = await start({
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      RPC_SECRET: secret,
      API_KEY_PEPPER: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'silent',
    })
    stack.defer(service.close)
    const bus = connectBus({ natsUrl: nats.url, name: 'test', logger })
    stack.defer(bus.close)
    const connection = await bus.connection()
    const client = rpcClient(accounts, { bus, secret, logger })

    const { id: organizationId } = await client.createOrganization({ name: 'Bakery', plan: 'PRO' })
    const key = await client.createKey({ organizationId, name: 'Website', scopes: ['read'] })
    await client.setPlan({ organizationId, plan: 'TEAM' })
    await client.revokeKey({ keyId: key.id })
    const refused = client.verifyKey({ keyDigest: digestOf(key.secret) })
    await expect(refused).rejects.toMatchObject({ code: 'unauthorized' })

    const manager = await jetstreamManager(connection)
    await eventually(async () => {
      expect((await manager.streams.info(EVENTS_STREAM)).state.messages).toBe(2)
    })
    const stream = await jetstream(connection).streams.get(EVENTS_STREAM)
    const messages = await Promise.all([1, 2].map((seq) => stream.getMessage({ seq })))
    expect(messages.map((message) => message?.subject)).toEqual([
      `herald.events.v1.key.${organizationId}.created`,
      `herald.events.v1.key.${organizationId}.revoked`,
    ])
    for (const message of messages)
      expect(CloudEvent.parse(message?.json())).toMatchObject({
        source: '/herald/accounts',
        subject: key.id,
        organizationid: organizationId,
        data: { keyId: key.id, prefix: key.prefix },
      })
    const sent = messages.map((message) => message?.string()).join()
    expect(sent).not.toContain(key.secret.slice(16))
    expect(sent).not.toContain(digestOf(key.secret))
  })

  test('does not start with a pepper that is not 32 bytes, and does not show it', async () => {
    const env = {
      DATABASE_URL: 'postgres://127.0.0.1/none',
      NATS_URL: 'nats://127.0.0.1:1',
      RPC_SECRET: randomBytes(32).toString('base64'),
      API_KEY_PEPPER: 'c2hvcnQ=',
    }
    await expect(start(env)).rejects.toThrow('API_KEY_PEPPER: must be 32 bytes in base64')
    await expect(start(env)).rejects.not.toThrow('c2hvcnQ=')
  })
})
