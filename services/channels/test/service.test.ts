import { randomBytes } from 'node:crypto'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { ChannelEventData, channels } from '@herald/contracts/channels'
import { CloudEvent, EVENTS_STREAM } from '@herald/contracts/events'
import { newId } from '@herald/contracts/ids'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { rpcClient } from '@herald/service/rpc-client'
import { testDatabase } from '@herald/testing/database'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { describe, expect, test } from 'vitest'
import { migrate } from '../src/migrate.ts'
import { start } from '../src/start.ts'
import { fakePlatform } from './fake-platform.ts'

const logger = createLogger({ service: 'test', level: 'silent' })

describe('the running service', () => {
  test('answers calls, and tells others what became of a channel without its secrets', async () => {
    await using stack = new AsyncDisposableStack()
    const platform = stack.use(await fakePlatform())
    const nats = stack.use(await testNats())
    const database = stack.use(await testDatabase('channels', migrate))
    const secret = randomBytes(32).toString('base64')
    const service = await start({
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      RPC_SECRET: secret,
      CREDENTIALS_KEY: randomBytes(32).toString('base64'),
      ALLOW_PRIVATE_PLATFORM_URLS: 'true',
      LOG_LEVEL: 'silent',
    })
    stack.defer(service.close)
    const bus = connectBus({ natsUrl: nats.url, name: 'test', logger })
    stack.defer(bus.close)
    const connection = await bus.connection()
    const client = rpcClient(channels, { bus, secret, logger })

    const organizationId = newId('organization')
    platform.tokens.set('canary', 'anna')
    const account = { platform: 'MASTODON', credentials: { accessToken: 'canary' } } as const
    const connect = () => client.connect({ organizationId, baseUrl: platform.url, ...account })
    const { id: channelId } = await connect()
    const one = { organizationId, channelId }
    expect((await client.access(one)).token).toBe('canary')
    platform.tokens.delete('canary')
    const marked = await client.reportDeadToken({ ...one, token: 'canary', reason: 'dead' })
    expect(marked.status).toBe('reauth_required')
    await expect(client.access(one)).rejects.toMatchObject({ code: 'reauth_required', status: 409 })
    platform.tokens.set('canary', 'anna')
    await connect()
    await client.disconnect(one)
    await expect(client.access(one)).rejects.toMatchObject({ code: 'not_found', status: 404 })

    const manager = await jetstreamManager(connection)
    await eventually(async () => {
      expect((await manager.streams.info(EVENTS_STREAM)).state.messages).toBe(4)
    })
    const stream = await jetstream(connection).streams.get(EVENTS_STREAM)
    const messages = await Promise.all([1, 2, 3, 4].map((seq) => stream.getMessage({ seq })))
    const events = messages.map((message) => CloudEvent.parse(message?.json()))
    const actions = ['connected', 'reauth-required', 'connected', 'disconnected']
    expect(messages.map((message) => message?.subject)).toEqual(
      actions.map((action) => `herald.events.v1.channel.${organizationId}.${action}`),
    )
    expect(events.map(({ type }) => type)).toEqual([
      'ChannelConnected',
      'ChannelReauthRequired',
      'ChannelConnected',
      'ChannelDisconnected',
    ])
    for (const event of events)
      expect(ChannelEventData.strict().parse(event.data)).toEqual({
        channelId,
        platform: 'MASTODON',
        username: 'anna',
        at: event.time,
      })
    expect(messages.map((message) => message?.string()).join()).not.toContain('canary')
  })

  test('does not start with a key that is not 32 bytes, and does not show it', async () => {
    const env = {
      DATABASE_URL: 'postgres://127.0.0.1/none',
      NATS_URL: 'nats://127.0.0.1:1',
      RPC_SECRET: randomBytes(32).toString('base64'),
      CREDENTIALS_KEY: 'c2hvcnQ=',
    }
    await expect(start(env)).rejects.toThrow('CREDENTIALS_KEY: must be 32 bytes in base64')
    await expect(start(env)).rejects.not.toThrow('c2hvcnQ=')
  })
})
