import { inspect } from 'node:util'
import { HTTP_STATUS } from '@herald/contracts/errors'
import { expect, test } from 'vitest'
import * as errors from '../src/errors.ts'
import { clientOf } from './client.ts'
import { API_KEY, cut, cutMidway, refusal, scriptedServer, silent } from './scripted-server.ts'

const { HeraldError, HeraldUnreachable, InternalError } = errors

const CLASSES = {
  unauthorized: errors.Unauthorized,
  forbidden_scope: errors.ForbiddenScope,
  plan_required: errors.PlanRequired,
  reauth_required: errors.ReauthRequired,
  not_found: errors.NotFound,
  validation_failed: errors.ValidationFailed,
  limit_reached: errors.LimitReached,
  duplicate_post: errors.DuplicatePost,
  conflict: errors.Conflict,
  rate_limited: errors.RateLimited,
  quota_exceeded: errors.QuotaExceeded,
  internal_error: errors.InternalError,
} satisfies Record<keyof typeof HTTP_STATUS, unknown>

const codes = Object.keys(HTTP_STATUS) as (keyof typeof HTTP_STATUS)[]

test.each(codes)('the code %s is an error of its own class', async (code) => {
  const status = HTTP_STATUS[code]
  const answer = refusal(status, code, { postId: 'post_1' })
  await using client = await clientOf(() => answer, { maxRetries: 0 })
  const error = await failureOf(client.herald.me())
  expect(error).toBeInstanceOf(HeraldError)
  expect(error).toBeInstanceOf(CLASSES[code])
  expect(error).toMatchObject({
    name: CLASSES[code].name,
    code,
    status,
    message: `It is ${code}.`,
    details: { postId: 'post_1' },
    requestId: 'req-1',
  })
})

test('a rate limit tells how long to wait and what is left', async () => {
  await using client = await clientOf(
    () => ({
      ...refusal(429, 'rate_limited', { resetsAt: '2026-11-21T09:30:00.000Z' }),
      headers: { 'retry-after': '7', ratelimit: '"minute";r=0;t=7' },
    }),
    { maxRetries: 0 },
  )
  expect(await failureOf(client.herald.me())).toMatchObject({
    retryAfterMs: 7_000,
    rateLimit: { minute: { limit: null, remaining: 0, resetsInSeconds: 7 }, month: null },
    details: { resetsAt: '2026-11-21T09:30:00.000Z' },
  })
})

test.each([
  ['a page of a proxy', 502, '<html>Bad gateway</html>'],
  ['nothing', 500, ''],
  ['another error', 500, '{"error":"oops"}'],
  ['an unknown code', 418, '{"error":{"code":"teapot"}}'],
  ['a name of every object for a code', 500, '{"error":{"code":"constructor"}}'],
  ['details that are none', 500, '{"error":{"code":"internal_error","details":[1]}}'],
  ['null', 500, 'null'],
  ['a redirect', 302, ''],
])('a refusal with %s for a body is an error with its status', async (_, status, body) => {
  await using client = await clientOf(
    () => ({ status, headers: { location: '/elsewhere' }, body }),
    { maxRetries: 0 },
  )
  const error = await failureOf(client.herald.me())
  expect(error).toBeInstanceOf(InternalError)
  expect(error).toMatchObject({ code: 'internal_error', status, details: {} })
  expect(error.message).toMatch(new RegExp(`status ${status}`))
  expect(client.received).toHaveLength(1)
})

test.each([
  ['never comes', silent],
  ['is cut off before it begins', cut],
  ['is cut off midway', cutMidway],
  ['is not JSON', () => ({ body: 'hello' })],
  ['is empty', () => ({ body: '' })],
])('an answer that %s is HeraldUnreachable, and may have been carried out', async (_, script) => {
  await using client = await clientOf(script, { maxRetries: 0, timeoutMs: 300 })
  const error = await failureOf(client.herald.me())
  expect(error).toBeInstanceOf(HeraldUnreachable)
  expect(error).toMatchObject({ isUnsent: false, message: 'GET /me got no readable answer.' })
  expect(error.cause).toBeInstanceOf(Error)
})

test('a server that is not there is HeraldUnreachable, and nothing was carried out', async () => {
  await using client = await clientOf(silent, { maxRetries: 0, baseUrl: await closedPort() })
  const error = await failureOf(client.herald.posts.edit('post_1', { content: 'Hi' }))
  expect(error).toMatchObject({ name: 'HeraldUnreachable', isUnsent: true })
})

test('no error shows the key', async () => {
  const scripts = [cut, () => refusal(401, 'unauthorized'), () => ({ body: 'hello' })]
  for (const script of scripts) {
    await using client = await clientOf(script, { maxRetries: 0 })
    const error = await failureOf(client.herald.me())
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(API_KEY)
  }
})

test('a redirect is not followed, so that the key stays with Herald', async () => {
  await using other = await scriptedServer(() => ({ body: {} }))
  await using client = await clientOf(() => ({ status: 307, headers: { location: other.url } }))
  expect(await failureOf(client.herald.me())).toMatchObject({ status: 307 })
  expect(other.received).toEqual([])
})

async function failureOf(calling: Promise<unknown>): Promise<Error> {
  const outcome = await calling.catch((error: unknown) => error)
  if (!(outcome instanceof Error)) throw new Error(`No failure: ${inspect(outcome)}`)
  return outcome
}

async function closedPort(): Promise<string> {
  const server = await scriptedServer(silent)
  await server[Symbol.asyncDispose]()
  return server.url
}
