import { connectBus } from '@herald/service/bus'
import { rpcClient } from '@herald/service/rpc-client'
import { startService } from '@herald/service/start-service'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import {
  gate,
  logger,
  NO_NATS,
  probe,
  SECRET,
  startProbe,
  startTestService,
  testBus,
  testWorld,
} from './world.ts'

const config = { INTERNAL_HOST: '127.0.0.1', INTERNAL_PORT: 0, RPC_SECRET: SECRET }

test('readiness turns 503 and says so when NATS is away, and 200 when it is back', async () => {
  await using world = await testWorld()
  const readiness = () => fetch(`${world.service.url}/readyz`)
  const ready = await readiness()
  expect(ready.status).toBe(200)
  expect(await ready.json()).toEqual({ status: 'ready', parts: { nats: true, probe: true } })
  await world.nats.stop()
  await eventually(async () => expect((await readiness()).status).toBe(503))
  expect(await (await readiness()).json()).toEqual({
    status: 'not ready',
    parts: { nats: false, probe: true },
  })
  expect((await fetch(`${world.service.url}/healthz`)).status).toBe(200)
  await world.nats.start()
  await eventually(async () => expect((await readiness()).status).toBe(200))
})

test.each([
  ['says no', async () => false],
  ['fails', () => Promise.reject(new Error('no database'))],
  ['hangs', () => new Promise<boolean>(() => {})],
])('a service is not ready while its own check %s', async (_, isReady) => {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  const { url } = await startTestService(stack, nats.url, { name: 'probe', isReady })
  const response = await fetch(`${url}/readyz`)
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ parts: { nats: true, probe: false } })
})

test('a call made as soon as a service has started finds it on NATS', async () => {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  const bus = testBus(stack, nats.url)
  await bus.connection()
  const client = rpcClient(probe, { bus, secret: SECRET, logger })
  for (let round = 0; round < 20; round++) {
    const service = await startProbe(stack, nats.url)
    expect(await client.order({ text: 'x' })).toEqual({ text: 'x' })
    await service.close()
  }
})

test('a service that is told to stop is not ready from then on, and answers calls on both roads while it drains', async () => {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  const service = await startProbe(stack, nats.url, {}, { drainSeconds: 3 })
  const bus = testBus(stack, nats.url)
  await bus.connection()
  const client = rpcClient(probe, { bus, secret: SECRET, logger })
  const away = testBus(stack, NO_NATS)
  const direct = rpcClient(probe, { bus: away, secret: SECRET, logger, direct: service.url })
  let isClosed = false
  const closing = service.close().then(() => (isClosed = true))
  const readiness = await fetch(`${service.url}/readyz`)
  expect({ status: readiness.status, isClosed }).toEqual({ status: 503, isClosed: false })
  expect(readiness.headers.get('connection')).toBe('close')
  expect(await client.order({ text: 'x' })).toEqual({ text: 'x' })
  expect(await direct.order({ text: 'y' })).toEqual({ text: 'y' })
  await closing
  await expect(fetch(`${service.url}/readyz`)).rejects.toThrow()
})

test('closing waits until the calls in work are answered, and takes no more', async () => {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  const answer = gate<{ text: string }>()
  let isCalled = false
  const service = await startProbe(stack, nats.url, {
    order: () => {
      isCalled = true
      return answer.promise
    },
  })
  const bus = testBus(stack, nats.url)
  await bus.connection()
  const client = rpcClient(probe, { bus, secret: SECRET, logger })
  const calling = client.order({ text: 'x' })
  await eventually(() => expect(isCalled).toBe(true))
  const closing = service.close()
  await eventually(() => expect(client.ask({ text: 'x' })).rejects.toMatchObject({ status: 503 }))
  answer.resolve({ text: 'in time' })
  expect(await calling).toEqual({ text: 'in time' })
  await closing
})

test('a service whose NATS never came can be closed', async () => {
  const bus = connectBus({ natsUrl: NO_NATS, name: 'test', logger })
  const closed: string[] = []
  const service = await startService({
    name: 'lonely',
    config,
    bus,
    logger,
    natsWaitMs: 10,
    rpc: {
      contract: probe,
      handlers: {
        ask: async (input) => input,
        order: async (input) => input,
        hurry: async (input) => input,
      },
    },
    consumers: [
      {
        stream: 'HERALD_EVENTS',
        durable: 'lonely',
        filterSubject: 'herald.events.v1.>',
        concurrency: 1,
        ackWaitMs: 1_000,
        maxDeliver: 1,
        backoffMs: [10],
        handle: async () => {},
      },
    ],
    onClose: async () => {
      closed.push('own parts')
      await bus.close()
      closed.push('bus')
    },
  })
  await service.close()
  expect(closed).toEqual(['own parts', 'bus'])
  expect(await bus.closed).toBeUndefined()
  await expect(bus.connection()).rejects.toThrow('abort')
})

test('a service that cannot open its listener fails to start', async () => {
  await using stack = new AsyncDisposableStack()
  const { url } = await startProbe(stack, NO_NATS)
  const bus = testBus(stack, NO_NATS)
  const starting = startService({
    name: 'second',
    config: { ...config, INTERNAL_PORT: Number(new URL(url).port) },
    bus,
    logger,
  })
  await expect(starting).rejects.toThrow('EADDRINUSE')
})

test('a bus can be closed while its server is frozen', async () => {
  await using nats = await testNats()
  const bus = connectBus({ natsUrl: nats.url, name: 'test', logger })
  await bus.connection()
  await nats.pause()
  try {
    await bus.close()
    expect(await bus.closed).toBeUndefined()
  } finally {
    await nats.resume()
  }
})

test('a bus tells when the connection has ended for good', async () => {
  await using nats = await testNats()
  const bus = connectBus({ natsUrl: nats.url, name: 'test', logger })
  const connection = await bus.connection()
  await connection.close()
  expect(await bus.closed).toBeInstanceOf(Error)
  expect(bus.isConnected()).toBe(false)
})
