import { readFileSync } from 'node:fs'
import { type Route, type RouteName, ROUTES } from '@herald/contracts/http'
import { createLogger } from '@herald/service/logger'
import {
  type DocumentedBody,
  type DocumentedOperation,
  resolveOpenapi,
  schemaProblems,
} from '@herald/testing/openapi-document'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { createApp } from '../src/app.ts'
import { openapiDocument } from '../src/openapi/document.ts'
import { ErrorSchema } from '../src/openapi/error-schema.ts'
import type { Features } from '../src/openapi/features.ts'
import { testAccounts } from './keys.ts'
import { testServices } from './harness.ts'
import { authentication } from '../src/authenticate.ts'

const NONE: Features = { rateLimitHeaders: false, idempotencyKeys: false, etags: false }
const ALL: Features = { rateLimitHeaders: true, idempotencyKeys: true, etags: true }
const routes = Object.entries<Route>(ROUTES) as [RouteName, Route][]
const everything = resolveOpenapi(openapiDocument(ALL))

const documentedPath = ({ path }: Route) => path.replaceAll(/:(\w+)/g, '{$1}')
function operationOf(name: RouteName, document = everything): DocumentedOperation {
  const route: Route = ROUTES[name]
  return document.paths[documentedPath(route)]![route.method.toLowerCase()]!
}

test('the committed document is the one that the contract gives', () => {
  const file = new URL('../../../docs/openapi.json', import.meta.url)
  const written = `${JSON.stringify(openapiDocument(), null, 2)}\n`
  expect(readFileSync(file, 'utf8'), 'to write it again: npm run fix').toBe(written)
})

test.each([
  ['nothing', NONE],
  ['everything', ALL],
])('the recommended rules of Redocly find nothing with %s turned on', async (_, features) => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(openapiDocument(features))
  const problems = await lintFromString({ source, config })
  expect(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
  ).toEqual([])
})

test('the document has every endpoint of the router, and nothing else', () => {
  const app = createApp({
    ...testServices({}),
    authenticate: authentication({ accounts: testAccounts() }).authenticate,
    isReady: async () => true,
    logger: createLogger({ service: 'gateway', level: 'silent' }),
  })
  const routed = app.router.stack.flatMap(({ route }) =>
    (route?.stack ?? [])
      .map(({ method }) => method)
      .filter((method) => method !== undefined && method !== 'head')
      .map((method) => `${method} ${route?.path}`),
  )
  const documented = Object.entries(everything.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} /v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  expect([...new Set(routed)].toSorted()).toEqual(documented.toSorted())
})

describe.each(routes)('%s', (name, route) => {
  const operation = operationOf(name)
  const valid = (body: DocumentedBody, schema: z.ZodType) =>
    Object.entries(body.examples ?? {}).map(([example, { value }]) => ({
      example,
      byDocument: schemaProblems(everything, body.schema, value),
      byContract: schema.safeParse(value).error?.issues ?? [],
    }))
  const allValid = (body: DocumentedBody | undefined, schema: z.ZodType) => {
    const checked = valid(body!, schema)
    expect(checked).not.toEqual([])
    expect(checked).toEqual(
      checked.map(({ example }) => ({ example, byDocument: [], byContract: [] })),
    )
  }

  test('is described in words', () => {
    expect(operation).toMatchObject({
      operationId: name,
      summary: expect.stringMatching(/\w/),
      description: expect.stringContaining(`Needs the scope \`${route.scope}\``),
      security: [{ apiKey: [route.scope] }],
      tags: [expect.stringMatching(/\w/)],
    })
  })

  test('every parameter is described and has an example that is valid', () => {
    const parameters = operation.parameters ?? []
    expect(parameters.filter((one) => one.in === 'path').map((one) => one.name)).toEqual(
      [...route.path.matchAll(/:(\w+)/g)].map(([, param]) => param),
    )
    for (const { description, schema, example } of parameters) {
      expect(description).toMatch(/\w/)
      expect(schemaProblems(everything, schema, example)).toEqual([])
    }
    const ofQuery = parameters.filter((one) => one.in === 'query')
    const query = Object.fromEntries(ofQuery.map((one) => [one.name, String(one.example)]))
    expect(route.query?.safeParse(query).error?.issues ?? []).toEqual([])
  })

  test('every body to send is an example that is valid', () => {
    const body = operation.requestBody?.content['application/json']
    expect(body === undefined).toBe(route.body === undefined)
    if (route.body) allValid(body, route.body)
  })

  test('every answer has an example, and all are valid', () => {
    const { [route.status]: success, 304: _unchanged, ...refusals } = operation.responses
    allValid(success?.content?.['application/json'], route.response)
    expect(Object.keys(refusals)).toEqual(
      expect.arrayContaining(['400', '401', '403', '405', '429', '500', '503']),
    )
    for (const refusal of Object.values(refusals))
      allValid(refusal.content?.['application/json'], ErrorSchema)
  })

  test('every answer names its headers', () => {
    for (const [status, { headers }] of Object.entries(operation.responses)) {
      const names = Object.keys(headers ?? {})
      expect(names).toContain('X-Request-Id')
      expect(names.includes('Allow')).toBe(status === '405')
      expect(names.includes('Retry-After')).toBe(status === '429' || status === '503')
    }
  })

  test('the document and the contract refuse the same answers', () => {
    const { schema, examples = {} } =
      operation.responses[route.status]!.content!['application/json']!
    for (const { value } of Object.values(examples))
      for (const mutant of mutants(value)) {
        const byDocument = schemaProblems(everything, schema, mutant).length > 0
        expect({ mutant, isRefused: byDocument }).toEqual({
          mutant,
          isRefused: !route.response.safeParse(mutant).success,
        })
      }
  })
})

/** The value with one thing changed at a time: a field gone, of another type, or more than there should be. */
function mutants(value: unknown): unknown[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => mutants(item).map((mutant) => value.with(index, mutant)))
  if (typeof value !== 'object' || value === null) return [7.5, 'x', null, true, {}]
  const fields = Object.entries(value)
  return [
    null,
    { ...value, surplus: 1 },
    ...fields.map(([name]) => Object.fromEntries(fields.filter(([other]) => other !== name))),
    ...fields.flatMap(([name, field]) =>
      mutants(field).map((mutant) => ({ ...value, [name]: mutant })),
    ),
  ]
}

describe('a feature that is off', () => {
  const bare = resolveOpenapi(openapiDocument(NONE))
  const text = JSON.stringify(openapiDocument(NONE))

  test.each([
    'Idempotency-Key',
    'If-None-Match',
    'If-Match',
    'ETag',
    'RateLimit',
    'Idempotent-Replayed',
  ])('%s is in the document only when it is on', (name) => {
    expect(text).not.toContain(`/${name}"`)
    expect(JSON.stringify(openapiDocument(ALL))).toContain(`/${name}"`)
  })

  test.each([
    ['getPost', '304'],
    ['editPost', '412'],
    ['deletePost', '412'],
  ] as const)('%s answers %s only when it is on', (name, status) => {
    expect(operationOf(name, bare).responses).not.toHaveProperty(status)
    expect(operationOf(name).responses).toHaveProperty(status)
  })
})
