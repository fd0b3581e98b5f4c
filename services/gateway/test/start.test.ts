import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { newId } from '@herald/contracts/ids'
import { connectBus } from '@herald/service/bus'
import { createLogger } from '@herald/service/logger'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { fetchDocumented } from '@herald/testing/openapi-check'
import { describe, expect, test } from 'vitest'
import { start } from '../src/start.ts'
import { admitAll, expectRefusal } from './harness.ts'
import { testAccounts } from './keys.ts'

const SECRET = 's'.repeat(32)
const NO_NATS = 'nats://127.0.0.1:1'

type Asked = Parameters<typeof admitAll>[0]

const startGateway = async (env: Record<string, string>) => {
  const { url, close } = await start({
    PORT: '0',
    RPC_SECRET: SECRET,
    NATS_URL: NO_NATS,
    LOG_LEVEL: 'silent',
    ...env,
  })
  const get = (path: string, key?: string) =>
    fetchDocumented(url, path, {
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    })
  return { get, close, [Symbol.asyncDispose]: close }
}

test('a gateway that is told to stop is not ready from then on, and answers each last request on a connection that it ends', async () => {
  await using nats = await testNats()
  const gateway = await startGateway({ NATS_URL: nats.url, DRAIN_SECONDS: '3' })
  await eventually(async () => expect((await gateway.get('/readyz')).status).toBe(200))
  const closing = gateway.close()
  const readiness = await gateway.get('/readyz')
  expect(readiness.status).toBe(503)
  expect(readiness.headers.get('connection')).toBe('close')
  expect((await gateway.get('/healthz')).status).toBe(200)
  await closing
  await expect(gateway.get('/healthz')).rejects.toThrow()
})

/** The accounts and the quota service on the direct road. */
async function servicesOverHttp() {
  const accounts = testAccounts()
  const requestIds: unknown[] = []
  const answer = async (request: IncomingMessage) => {
    const input = await json(request)
    if (request.url === '/rpc/admit')
      return JSON.stringify({ ok: true, value: await admitAll(input as Asked) })
    return JSON.stringify(await replyOf(() => accounts.verifyKey(input as { keyDigest: string })))
  }
  const server = createServer((request, response) => {
    if (request.url === '/healthz') return void response.end('{}')
    requestIds.push(request.headers['herald-request-id'])
    void answer(request).then((text) => response.end(text))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    accounts,
    requestIds,
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function replyOf(call: () => Promise<unknown>) {
  try {
    return { ok: true, value: await call() }
  } catch {
    return { ok: false, status: 401, error: { code: 'unauthorized', message: 'No.' } }
  }
}

describe('without NATS', () => {
  test('it starts, lives, is not ready, refuses with 503, and closes', async () => {
    await using gateway = await startGateway({})
    const { key } = testAccounts().issue()
    expect((await gateway.get('/healthz')).status).toBe(200)
    await expectRefusal(await gateway.get('/readyz'), 503, 'internal_error')
    await expectRefusal(await gateway.get('/v1/me', key), 503, 'internal_error')
  })

  test('with direct roads to all services it is ready and serves', async () => {
    await using direct = await servicesOverHttp()
    const names = ['accounts', 'channels', 'media', 'posts', 'quota']
    const roads = names.map((name) => `${name}=${direct.url}`)
    await using gateway = await startGateway({ RPC_DIRECT: roads.join(',') })
    const { key } = direct.accounts.issue()
    expect((await gateway.get('/readyz')).status).toBe(200)
    const response = await gateway.get('/v1/me', key)
    expect(response.status).toBe(200)
    const id = response.headers.get('x-request-id')
    expect(direct.requestIds).toEqual([id, id])
  })

  test.each([
    ['with a direct road to only some services', ''],
    ['with a direct road that does not answer', ',posts=http://127.0.0.1:1'],
  ])('%s it is not ready', async (_what, posts) => {
    await using direct = await servicesOverHttp()
    const RPC_DIRECT = `accounts=${direct.url},quota=${direct.url},channels=${direct.url}${posts}`
    await using gateway = await startGateway({ RPC_DIRECT })
    await expectRefusal(await gateway.get('/readyz'), 503, 'internal_error')
  })
})

describe('with NATS', () => {
  test('a revoked key is refused when the event comes, and a broken event harms nothing', async () => {
    await using nats = await testNats()
    await using direct = await servicesOverHttp()
    await using gateway = await startGateway({
      NATS_URL: nats.url,
      RPC_DIRECT: `accounts=${direct.url},quota=${direct.url}`,
    })
    await eventually(async () => expect((await gateway.get('/readyz')).status).toBe(200))
    const { key, verified } = direct.accounts.issue()
    const organizationId = verified.organization.id
    const logger = createLogger({ service: 'test', level: 'silent' })
    const bus = connectBus({ natsUrl: nats.url, name: 'test', logger })
    const connection = await bus.connection()
    expect((await gateway.get('/v1/me', key)).status).toBe(200)

    direct.accounts.revoke(key)
    const subject = `herald.events.v1.key.${organizationId}.revoked`
    connection.publish(subject, 'no JSON')
    connection.publish(subject, JSON.stringify(revokedEvent(verified.keyId, organizationId)))
    await bus.close()
    const asked = direct.accounts.asked.length
    await eventually(
      async () => expectRefusal(await gateway.get('/v1/me', key), 401, 'unauthorized'),
      { timeoutMs: 4_000 },
    )
    expect(direct.accounts.asked.length).toBe(asked + 1)
  })

  test('after NATS was away no cached key is trusted', async () => {
    await using nats = await testNats()
    await using direct = await servicesOverHttp()
    await using gateway = await startGateway({
      NATS_URL: nats.url,
      RPC_DIRECT: `accounts=${direct.url},quota=${direct.url}`,
    })
    await eventually(async () => expect((await gateway.get('/readyz')).status).toBe(200))
    await nats.kill()
    await eventually(async () => expect((await gateway.get('/readyz')).status).toBe(503))
    const { key } = direct.accounts.issue()
    expect((await gateway.get('/v1/me', key)).status).toBe(200)
    direct.accounts.revoke(key)
    await nats.start()
    await eventually(async () =>
      expectRefusal(await gateway.get('/v1/me', key), 401, 'unauthorized'),
    )
  })
})

test('a missing setting is named and the start fails', async () => {
  await expect(start({ NATS_URL: NO_NATS })).rejects.toThrow('RPC_SECRET')
})

test.each(['here', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.1/', 'fd00::/129'])(
  'a proxy that is no address (%s) is named and the start fails',
  async (TRUSTED_PROXIES) => {
    await expect(startGateway({ TRUSTED_PROXIES })).rejects.toThrow('TRUSTED_PROXIES')
  },
)

test('a port that is taken fails the start', async () => {
  await using taken = await servicesOverHttp()
  await expect(startGateway({ PORT: new URL(taken.url).port })).rejects.toThrow('EADDRINUSE')
})

function revokedEvent(keyId: string, organizationid: string) {
  return {
    specversion: '1.0',
    id: newId('event'),
    source: '/herald/accounts',
    type: 'KeyRevoked',
    subject: keyId,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    organizationid,
    sequence: 2,
    data: { keyId, prefix: 'herald_live_abcd' },
  }
}
