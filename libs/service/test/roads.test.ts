import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { rpcClient } from '@herald/service/rpc-client'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import {
  gate,
  logger,
  NOWHERE,
  NO_NATS,
  probe,
  SECRET,
  startProbe,
  testBus,
  testWorld,
} from './world.ts'

const UNAVAILABLE = { code: 'internal_error', status: 503 }

test('a call takes the direct road when no service listens on NATS', async () => {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  const bus = testBus(stack, nats.url)
  await bus.connection()
  const service = await startProbe(stack, NO_NATS)
  const options = { bus, secret: SECRET, logger }
  const client = rpcClient(probe, { ...options, direct: service.url })
  expect(await client.order({ text: 'hello' })).toEqual({ text: 'hello' })
  await expect(rpcClient(probe, options).order({ text: 'x' })).rejects.toMatchObject(UNAVAILABLE)
})

test('commands go on over the direct road while NATS is away, and over NATS again after', async () => {
  await using world = await testWorld()
  await world.nats.stop()
  await eventually(() => expect(world.bus.isConnected()).toBe(false))
  expect(await world.client.order({ text: 'direct' })).toEqual({ text: 'direct' })
  await expect(world.natsClient.order({ text: 'x' })).rejects.toMatchObject(UNAVAILABLE)
  await world.nats.start()
  await eventually(async () =>
    expect(await world.natsClient.order({ text: 'again' })).toEqual({ text: 'again' }),
  )
})

test('calls go over NATS again after its store was wiped', async () => {
  await using world = await testWorld()
  await world.nats.stop()
  await rm(join(world.nats.dataDir, 'jetstream'), { recursive: true })
  await world.nats.start()
  await eventually(async () =>
    expect(await world.natsClient.order({ text: 'again' })).toEqual({ text: 'again' }),
  )
})

test('a command in flight when NATS is killed fails with 503 and is not repeated', async () => {
  const answer = gate<{ text: string }>()
  const seen: string[] = []
  await using world = await testWorld({
    order: ({ text }) => {
      seen.push(text)
      return answer.promise
    },
  })
  const calling = world.client.order({ text: 'once' }).catch((error: unknown) => error)
  await eventually(() => expect(seen).toEqual(['once']))
  await world.nats.kill()
  expect(await calling).toMatchObject(UNAVAILABLE)
  answer.resolve({ text: 'done' })
  expect(seen).toEqual(['once'])
  expect(await world.client.order({ text: 'next' })).toEqual({ text: 'done' })
  expect(seen).toEqual(['once', 'next'])
})

test('a question in flight when NATS is killed is asked again on the direct road', async () => {
  const never = gate<{ text: string }>()
  let asked = 0
  await using world = await testWorld({
    ask: (input) => (++asked === 1 ? never.promise : Promise.resolve(input)),
  })
  const calling = world.client.ask({ text: 'well?' })
  await eventually(() => expect(asked).toBe(1))
  await world.nats.kill()
  expect(await calling).toEqual({ text: 'well?' })
  never.resolve({ text: 'late' })
})

test('while NATS is frozen, questions are answered on the direct road and commands fail', async () => {
  await using world = await testWorld()
  await world.nats.pause()
  try {
    expect(await world.client.ask({ text: 'well?' })).toEqual({ text: 'well?' })
    await expect(world.natsClient.hurry({ text: 'x' })).rejects.toMatchObject(UNAVAILABLE)
    await eventually(() => expect(world.bus.isConnected()).toBe(false))
    expect(await world.client.order({ text: 'direct' })).toEqual({ text: 'direct' })
  } finally {
    await world.nats.resume()
  }
  await eventually(async () =>
    expect(await world.natsClient.order({ text: 'again' })).toEqual({ text: 'again' }),
  )
})

test('a call that failed while NATS was away is not carried out when NATS comes back', async () => {
  const seen: string[] = []
  await using world = await testWorld({
    order: async (input) => {
      seen.push(input.text)
      return input
    },
  })
  await world.nats.kill()
  // From the moment of the kill on, noticed or not, no call may stay behind in a buffer.
  const failing = Array.from({ length: 50 }, (_, index) =>
    world.natsClient.order({ text: `lost ${index}` }).catch((error: unknown) => error),
  )
  for (const error of await Promise.all(failing)) expect(error).toMatchObject(UNAVAILABLE)
  await world.nats.start()
  await eventually(() => world.natsClient.order({ text: 'again' }))
  expect(seen.filter((text) => text.startsWith('lost'))).toEqual([])
})

test('a service that starts without NATS answers directly, and over NATS when it appears', async () => {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  await nats.stop()
  const service = await startProbe(stack, nats.url)
  const bus = testBus(stack, nats.url)
  const options = { bus, secret: SECRET, logger }
  const client = rpcClient(probe, { ...options, direct: service.url })
  expect(await client.order({ text: 'direct' })).toEqual({ text: 'direct' })
  const natsOnly = rpcClient(probe, { ...options, direct: NOWHERE })
  await nats.start()
  await eventually(async () =>
    expect(await natsOnly.order({ text: 'NATS' })).toEqual({ text: 'NATS' }),
  )
})

test('a service that cannot be reached on either road fails with 503', async () => {
  await using stack = new AsyncDisposableStack()
  const bus = testBus(stack, NO_NATS)
  const client = rpcClient(probe, { bus, direct: NOWHERE, secret: SECRET, logger })
  await expect(client.ask({ text: 'x' })).rejects.toMatchObject(UNAVAILABLE)
  await expect(client.order({ text: 'x' })).rejects.toMatchObject(UNAVAILABLE)
})

test('the direct road refuses a wrong secret with 401, and its caller sees 503', async () => {
  await using stack = new AsyncDisposableStack()
  const seen: unknown[] = []
  const service = await startProbe(stack, NO_NATS, {
    order: async (input) => {
      seen.push(input)
      return input
    },
  })
  const call = (authorization?: string) =>
    fetch(`${service.url}/rpc/order`, {
      method: 'POST',
      headers: authorization === undefined ? {} : { authorization },
      body: JSON.stringify({ text: 'x' }),
    })
  for (const wrong of [undefined, '', 'Bearer', `Bearer ${SECRET}x`, SECRET, `Basic ${SECRET}`])
    expect((await call(wrong)).status).toBe(401)
  const options = { bus: testBus(stack, NO_NATS), direct: service.url, logger }
  const client = rpcClient(probe, { ...options, secret: 'another secret' })
  await expect(client.order({ text: 'x' })).rejects.toMatchObject(UNAVAILABLE)
  expect(seen).toEqual([])
  expect((await call(`Bearer ${SECRET}`)).status).toBe(200)
})

test('the direct road answers nonsense with a client error and goes on', async () => {
  await using stack = new AsyncDisposableStack()
  const service = await startProbe(stack, NO_NATS)
  const post = (path: string, body: string) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}` },
      body,
    })
  expect((await post('/rpc/order', '{"text":')).status).toBe(400)
  expect((await post('/rpc/order', ' '.repeat(9 * 1024 * 1024))).status).toBe(413)
  expect((await post('/rpc/..%2fhealthz', '{}')).status).toBe(404)
  expect((await fetch(`${service.url}/rpc/order`)).status).toBe(404)
  expect(await (await post('/rpc/order', '{"text":"x"}')).json()).toMatchObject({ ok: true })
})
