import { readdirSync, readFileSync } from 'node:fs'
import specs from '@asyncapi/specs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { asyncapiDocument } from '@herald/contracts/asyncapi/document'
import { eventSchema, schemaFile } from '@herald/contracts/asyncapi/event-schema'
import { exampleOf } from '@herald/contracts/asyncapi/examples'
import { CloudEvent } from '@herald/contracts/events'
import { PUBLIC_EVENTS } from '@herald/contracts/public-events'

const docs = new URL('../../../docs/', import.meta.url)
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value))
const committed = (path: string) => JSON.parse(readFileSync(new URL(path, docs), 'utf8'))

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: { 'date-time': (text: string) => text.endsWith('Z') && !Number.isNaN(Date.parse(text)) },
})

const BY_TYPE = PUBLIC_EVENTS.map((event) => [event.type, event] as const)

test('docs/asyncapi.json is what the contracts make: npm run asyncapi -w @herald/contracts', () => {
  expect(committed('asyncapi.json')).toEqual(asJson(asyncapiDocument()))
})

test('the document is AsyncAPI 3.0', () => {
  const check = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(
    asJson(specs.schemasWithoutId['3.0.0']),
  )
  check(asJson(asyncapiDocument()))
  expect(check.errors).toBeNull()
  // The check can fail.
  expect(check({ ...asyncapiDocument(), channels: [] })).toBe(false)
})

test('every reference of the document leads somewhere', () => {
  const document = asJson(asyncapiDocument())
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
  expect(refs.length).toBeGreaterThan(PUBLIC_EVENTS.length)
  const lost = refs.filter(
    ([, path = '']) => !path.split('/').reduce((part, name) => part?.[name], document),
  )
  expect(lost).toEqual([])
})

test('docs/schemas has the schema of every event and nothing else', () => {
  const files = readdirSync(new URL('schemas/', docs))
  expect(files.toSorted()).toEqual(PUBLIC_EVENTS.map(schemaFile).toSorted())
})

describe.for(BY_TYPE)('%s', ([, event]) => {
  const check = ajv.compile(eventSchema(event))
  const { payload } = exampleOf(event)
  const problems = (message: unknown) => (check(message) ? null : check.errors)

  test('has its schema in docs/schemas', () => {
    expect(committed(`schemas/${schemaFile(event)}`)).toEqual(asJson(eventSchema(event)))
  })

  test('has an example that its schema and its contract take', () => {
    expect(problems(payload)).toBeNull()
    expect(CloudEvent.parse(payload).data).toEqual(event.data.strict().parse(payload.data))
  })

  test('may gain fields, in the envelope and in its data, without a consumer refusing it', () => {
    expect(problems({ ...payload, later: 1, data: { ...payload.data, later: 1 } })).toBeNull()
  })

  test('must not lose a field', () => {
    const without = (fields: object, lost: string) =>
      Object.fromEntries(Object.entries(fields).filter(([name]) => name !== lost))
    const fields = Object.keys(payload.data)
    const taken = fields.filter((name) => check({ ...payload, data: without(payload.data, name) }))
    expect(taken).toEqual([])
    expect(Object.keys(payload).filter((name) => check(without(payload, name)))).toEqual([
      'traceparent',
    ])
  })

  test('says what each of its fields means', () => {
    const { properties } = asJson(eventSchema(event))
    const { data, ...envelope } = properties
    const fields: [string, { description?: string; $ref?: string }][] = Object.entries({
      ...envelope,
      ...data.properties,
    })
    const silent = fields.filter(([, { description, $ref }]) => !description && !$ref)
    expect(silent).toEqual([])
  })
})
