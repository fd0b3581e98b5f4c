import { AppError } from '@herald/contracts/errors'
import { contract } from '@herald/contracts/rpc'
import { currentContext, runInContext } from '@herald/service/context'
import { rpcClient } from '@herald/service/rpc-client'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { gate, logger, NO_NATS, SECRET, startTestService, testBus, testWorld } from './world.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a call over NATS is answered by the service', async () => {
  await using world = await testWorld({ order: async ({ text }) => ({ text: `${text}!` }) })
  expect(await world.natsClient.order({ text: 'hello' })).toEqual({ text: 'hello!' })
})

test('an expected refusal crosses with its code, message, details and status', async () => {
  const refusal = new AppError('validation_failed', 'No such type.', {
    status: 415,
    details: { type: 'text/plain' },
  })
  await using world = await testWorld({ order: () => Promise.reject(refusal) })
  for (const client of [world.natsClient, world.directClient])
    await expect(client.order({ text: 'x' })).rejects.toMatchObject({
      name: 'AppError',
      code: 'validation_failed',
      message: 'No such type.',
      details: { type: 'text/plain' },
      status: 415,
    })
})

test('a bug crosses as internal_error and its text stays inside', async () => {
  await using world = await testWorld({
    order: () => Promise.reject(new Error('the password is hunter2')),
  })
  for (const client of [world.natsClient, world.directClient]) {
    const error = await client.order({ text: 'x' }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'internal_error', status: 500 })
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2')
  }
})

test('a value that is no JSON is answered internal_error at once', async () => {
  const value = { text: 'x', self: {} as unknown }
  value.self = value
  await using world = await testWorld({ order: async () => value })
  await expect(world.natsClient.order({ text: 'x' })).rejects.toMatchObject({
    code: 'internal_error',
    status: 500,
  })
})

test('input that does not fit the operation is refused before the handler sees it', async () => {
  const seen: unknown[] = []
  await using world = await testWorld({
    order: async (input) => {
      seen.push(input)
      return input
    },
  })
  for (const client of [world.natsClient, world.directClient])
    await expect(client.order({ text: '' })).rejects.toMatchObject({
      code: 'validation_failed',
      status: 422,
      details: { issues: [{ path: 'text' }] },
    })
  expect(seen).toEqual([])
})

test('a call that is not answered within its deadline fails with 503', async () => {
  const never = gate<{ text: string }>()
  await using world = await testWorld({ hurry: () => never.promise })
  await expect(world.natsClient.hurry({ text: 'x' })).rejects.toMatchObject({
    code: 'internal_error',
    status: 503,
  })
  never.resolve({ text: 'late' })
})

test('the request id and the trace travel with a call on both roads', async () => {
  const seen: unknown[] = []
  await using world = await testWorld({
    order: async (input) => {
      seen.push(currentContext())
      return input
    },
  })
  const context = { requestId: 'req-1', traceparent: '00-aa-bb-01' }
  for (const client of [world.natsClient, world.directClient])
    await runInContext(context, () => client.order({ text: 'x' }))
  expect(seen).toMatchObject([context, context])
})

test('names of JavaScript itself are no operations', async () => {
  await using world = await testWorld()
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
    const response = await fetch(`${world.service.url}/rpc/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}` },
      body: '{}',
    })
    expect(await response.json()).toMatchObject({ ok: false, error: { code: 'not_found' } })
  }
})

test('several services in one process answer each their own calls', async () => {
  await using stack = new AsyncDisposableStack()
  const world = stack.use(await testWorld())
  const other = contract({
    service: 'other',
    operations: { ask: { input: z.object({}), output: z.object({ from: z.string() }) } },
  })
  await startTestService(stack, world.nats.url, {
    name: 'other',
    rpc: { contract: other, handlers: { ask: async () => ({ from: 'other' }) } },
  })
  const client = rpcClient(other, { bus: world.bus, secret: SECRET, logger })
  expect(await client.ask({})).toEqual({ from: 'other' })
  expect(await world.natsClient.ask({ text: 'probe' })).toEqual({ text: 'probe' })
})

test('an operation that answers nothing answers undefined', async () => {
  await using stack = new AsyncDisposableStack()
  const world = stack.use(await testWorld())
  const mute = contract({
    service: 'mute',
    operations: { hush: { input: z.object({}), output: z.undefined() } },
  })
  const service = await startTestService(stack, world.nats.url, {
    name: 'mute',
    rpc: { contract: mute, handlers: { hush: async () => undefined } },
  })
  const options = { bus: world.bus, secret: SECRET, logger }
  expect(await rpcClient(mute, options).hush({})).toBeUndefined()
  const offline = { ...options, bus: testBus(stack, NO_NATS), direct: service.url }
  expect(await rpcClient(mute, offline).hush({})).toBeUndefined()
})

test('a question whose answer is too large for the bus is answered on the direct road', async () => {
  const text = 'x'.repeat(2_000_000)
  await using world = await testWorld({
    ask: async () => ({ text }),
    order: async () => ({ text }),
  })
  expect(await world.client.ask({ text: 'x' })).toEqual({ text })
  await expect(world.client.order({ text: 'x' })).rejects.toMatchObject({ code: 'internal_error' })
})

test('a command that is too large for the bus goes over the direct road', async () => {
  await using world = await testWorld()
  const text = 'x'.repeat(2_000_000)
  expect(await world.client.order({ text })).toEqual({ text })
})

test('where answers are checked, one that does not fit its operation is a bug', async () => {
  vi.stubEnv('HERALD_CHECK_ANSWERS', '1')
  await using world = await testWorld({ order: async () => ({ text: '' }) })
  await expect(world.natsClient.order({ text: 'x' })).rejects.toMatchObject({
    code: 'internal_error',
    status: 500,
  })
  expect(await world.natsClient.ask({ text: 'x' })).toEqual({ text: 'x' })
})
