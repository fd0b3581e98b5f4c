import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createHerald } from '../src/herald.ts'
import { clientOf } from './client.ts'
import {
  API_KEY,
  type Answer,
  cut,
  cutMidway,
  endBy,
  inTurn,
  refusal,
  type Script,
  silent,
} from './scripted-server.ts'

const POST = { content: 'Hello', channelIds: ['chan_1'] }
const DONE: Answer = { body: { id: 'post_1' } }
const AWAY = refusal(503, 'internal_error')
const LIMITED = refusal(429, 'rate_limited')
const IN_WORK = refusal(409, 'conflict', { reason: 'idempotency_in_progress' })
const bad = (status: number): Answer => ({ status, body: '<html>' })

describe.each<[string, Answer | Script, GET: number, POST: number, PATCH: number, DELETE: number]>([
  ['a rate limit', LIMITED, 2, 2, 2, 2],
  ['a part of Herald that is away', AWAY, 2, 2, 1, 1],
  ['a bad gateway', bad(502), 2, 2, 1, 1],
  ['a gateway that waited too long', bad(504), 2, 2, 1, 1],
  ['a connection that is cut', cut, 2, 2, 1, 1],
  ['an answer that is cut off', cutMidway, 2, 2, 1, 1],
  ['no answer in time', silent, 2, 2, 1, 1],
  ['the first try still in work', IN_WORK, 2, 2, 1, 1],
  ['a failure of Herald', refusal(500, 'internal_error'), 1, 1, 1, 1],
  ['a conflict', refusal(409, 'conflict'), 1, 1, 1, 1],
  ['a refusal', refusal(422, 'validation_failed'), 1, 1, 1, 1],
])('after %s', (...[, first, get, post, patch, remove]) => {
  const calls = {
    GET: ({ posts }: Client) => posts.get('post_1'),
    POST: ({ posts }: Client) => posts.create(POST),
    PATCH: ({ posts }: Client) => posts.edit('post_1', { content: 'Hi' }),
    DELETE: ({ posts }: Client) => posts.remove('post_1'),
  }
  test.each([
    ['GET', get],
    ['POST', post],
    ['PATCH', patch],
    ['DELETE', remove],
  ] as const)('a %s is made %i times', async (method, times) => {
    await using client = await clientOf(
      inTurn(first, DONE),
      first === silent ? { timeoutMs: 2_000 } : {},
    )
    const outcome = await calls[method](client.herald).then(
      () => 'done',
      () => 'failed',
    )
    expect(client.received.map((request) => request.method)).toEqual(Array(times).fill(method))
    expect(outcome).toBe(times === 2 ? 'done' : 'failed')
  })
})

test('a change is made again when nobody was there to take it', async () => {
  // The port is free until the client has found nobody there.
  const server = createServer((_, response) => response.end('{"id":"post_1"}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const herald = createHerald({
    apiKey: API_KEY,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async wait() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  })
  try {
    expect(await herald.posts.remove('post_1')).toEqual({ id: 'post_1' })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('all tries of a POST carry the same Idempotency-Key and body, and each POST its own key', async () => {
  await using client = await clientOf(inTurn(AWAY, cut, LIMITED, DONE))
  await client.herald.posts.create(POST)
  await client.herald.posts.create(POST)
  const keys = client.received.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toHaveLength(5)
  expect(new Set(keys.slice(0, 4)).size).toBe(1)
  expect(keys[4]).not.toBe(keys[0])
  for (const key of keys) expect(key).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  for (const { json } of client.received) expect(json).toEqual(POST)
})

test('a caller can give the Idempotency-Key', async () => {
  await using client = await clientOf(inTurn(cut, DONE))
  await client.herald.posts.create(POST, { idempotencyKey: 'mine-1' })
  expect(client.received.map(({ headers }) => headers['idempotency-key'])).toEqual([
    'mine-1',
    'mine-1',
  ])
})

test('a call is made at most five times, with growing waits between', async () => {
  await using client = await clientOf(() => AWAY)
  await expect(client.herald.me()).rejects.toThrow('It is internal_error.')
  expect(client.received).toHaveLength(5)
  const [first = 0, second = 0, third = 0, fourth = 0] = client.waits
  expect(client.waits).toHaveLength(4)
  for (const [wait, most] of [
    [first, 500],
    [second, 1_000],
    [third, 2_000],
    [fourth, 4_000],
  ] as const) {
    expect(wait).toBeGreaterThanOrEqual(most / 2)
    expect(wait).toBeLessThanOrEqual(most)
  }
})

test('how often a call is made again is an option', async () => {
  await using client = await clientOf(() => AWAY, { maxRetries: 1 })
  await expect(client.herald.me()).rejects.toThrow('It is internal_error.')
  expect(client.received).toHaveLength(2)
})

test.each([
  ['429', LIMITED],
  ['503', AWAY],
])('Retry-After of a %s is honoured', async (_, answer) => {
  const asked = { ...answer, headers: { 'retry-after': '20' } }
  await using client = await clientOf(inTurn(asked, DONE))
  await client.herald.me()
  expect(client.waits).toHaveLength(1)
  expect(client.waits[0]).toBeGreaterThanOrEqual(20_000)
  expect(client.waits[0]).toBeLessThan(21_000)
})

test('a wait that is longer than the call may take is not begun', async () => {
  const asked = { ...LIMITED, headers: { 'retry-after': '60' } }
  await using client = await clientOf(inTurn(asked, DONE), { deadlineMs: 50_000 })
  await expect(client.herald.me()).rejects.toMatchObject({ retryAfterMs: 60_000 })
  expect(client.waits).toEqual([])
})

test('a call ends at its deadline, however many tries are left', async () => {
  await using client = await clientOf(silent, { timeoutMs: 10_000, deadlineMs: 2_000 })
  await expect(client.herald.me()).rejects.toThrow('GET /me got no readable answer.')
  expect(client.received).toHaveLength(1)
})

test('a caller can end a call while it is asked and while it waits', async () => {
  const ending = new AbortController()
  await using asking = await clientOf(endBy(ending))
  await expect(asking.herald.me({ signal: ending.signal })).rejects.toThrow('Enough.')
  expect(asking.received).toHaveLength(1)

  const waiting = new AbortController()
  await using away = await clientOf(() => AWAY)
  const herald = createHerald({
    apiKey: API_KEY,
    baseUrl: away.url,
    onAnswer: () => queueMicrotask(() => waiting.abort(new Error('Enough.'))),
  })
  await expect(herald.me({ signal: waiting.signal })).rejects.toThrow('Enough.')
  expect(away.received).toHaveLength(1)
})

test('a call that was ended before it began is not made', async () => {
  await using client = await clientOf(() => DONE)
  const signal = AbortSignal.abort(new Error('Enough.'))
  await expect(client.herald.me({ signal })).rejects.toThrow('Enough.')
  expect(client.received).toEqual([])
})

type Client = Awaited<ReturnType<typeof clientOf>>['herald']
