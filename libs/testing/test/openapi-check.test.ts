import { describe, expect, test } from 'vitest'
import { expectDocumented, expectDocumentedSomewhere } from '../src/openapi-check.ts'

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Request-Id': 'r-1',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}
const DELETED = { id: 'post_01kb5x4a7ne8btgq1vq4p0d2c9', deleted: true }
const NOT_FOUND = { error: { code: 'not_found', message: 'There is nothing.' } }

type Answer = { status?: number; body?: unknown; headers?: Record<string, string | undefined> }

function answer({ status = 200, body = DELETED, headers = {} }: Answer = {}): Response {
  const all = Object.entries({ ...HEADERS, ...headers })
  const given = all.filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new Response(JSON.stringify(body), { status, headers: given })
}
const check = (given: Answer, method = 'DELETE', path = `/v1/posts/${DELETED.id}?a=b`) =>
  expectDocumented(method, path, answer(given))

describe('an answer as documented passes', () => {
  test.each<[string, Answer, string?, string?]>([
    ['a success', {}],
    ['a refusal', { status: 404, body: NOT_FOUND }],
    ['a refusal with a number in a header', unavailable('1')],
    ['a path that is in no document', { status: 404, body: NOT_FOUND }, 'GET', '/v1/nothing'],
    ['a method that the path does not take', notAllowed(), 'PUT', '/v1/me'],
    ['what is served beside the API', { body: 'page' }, 'GET', '/docs'],
  ])('%s', async (_, given, method, path) => {
    await expect(check(given, method, path)).resolves.toBeUndefined()
  })

  test('HEAD, which has no body', async () => {
    const { status, headers } = answer(notAllowed())
    await expect(
      expectDocumented('HEAD', '/v1/me', new Response(null, { status, headers })),
    ).resolves.toBeUndefined()
  })
})

describe('an answer that differs is told', () => {
  test.each<[string, Answer, string, string?, string?]>([
    ['another status', { status: 202 }, 'the status is not documented'],
    ['a field too many', { body: { ...DELETED, surplus: 1 } }, 'additional properties'],
    ['a field of another type', { body: { ...DELETED, deleted: 'yes' } }, '/deleted'],
    ['an id of another kind', { body: { ...DELETED, id: 'chan_1' } }, '/id'],
    ['no envelope', { status: 404, body: {} }, "'error'"],
    ['a missing header', { headers: { 'X-Request-Id': undefined } }, 'x-request-id is missing'],
    ['a header nobody knows', { headers: { 'X-Other': '1' } }, 'x-other is not documented'],
    ['words for a number', unavailable('soon'), 'retry-after'],
    ['another content type', { headers: { 'Content-Type': 'text/html' } }, 'text/html'],
    ['a success at an unknown path', {}, 'the status is not documented', 'GET', '/v1/nothing'],
    ['a success of an unknown method', {}, 'the status is not documented', 'PUT', '/v1/me'],
    ['405 at an unknown path', notAllowed(), 'not documented', 'PUT', '/v1/nothing'],
  ])('%s', async (_, given, problem, method, path) => {
    await expect(check(given, method, path)).rejects.toThrow(problem)
  })
})

test('an answer to an unknown request is one that some operation gives', async () => {
  await expectDocumentedSomewhere(answer())
  await expect(expectDocumentedSomewhere(answer({ status: 202 }))).rejects.toThrow('nowhere')
  await expect(expectDocumentedSomewhere(answer({ body: {} }))).rejects.toThrow('nowhere')
})

function notAllowed(): Answer {
  const error = { code: 'validation_failed', message: 'This path does not take this method.' }
  return { status: 405, headers: { Allow: 'GET' }, body: { error } }
}

function unavailable(retryAfter: string): Answer {
  const error = { code: 'internal_error', message: 'Try again shortly.' }
  return { status: 503, headers: { 'Retry-After': retryAfter }, body: { error } }
}
