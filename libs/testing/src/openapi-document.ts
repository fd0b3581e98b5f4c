import { readFileSync } from 'node:fs'
import { Ajv2020 } from '@redocly/ajv/dist/2020.js'

type Ref = { $ref: string }
export type JsonSchema = Record<string, unknown>
export type DocumentedHeader = { required?: boolean; schema: JsonSchema }
export type DocumentedBody = {
  schema: JsonSchema
  examples?: Record<string, { value: unknown }>
}
export type DocumentedResponse = {
  headers?: Record<string, DocumentedHeader>
  content?: Record<string, DocumentedBody>
}
export type DocumentedParameter = {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  schema: JsonSchema
  example?: unknown
}
export type DocumentedOperation = {
  operationId: string
  parameters?: DocumentedParameter[]
  requestBody?: { content: Record<string, DocumentedBody> }
  responses: Record<string, DocumentedResponse>
}
/** An OpenAPI document whose parameters, responses and headers stand where they are used; schemas keep their names. */
export type OpenapiDocument = {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, JsonSchema> }
}

/** The document of the API as it is committed. */
export function readOpenapiDocument(): OpenapiDocument {
  const file = new URL('../../../docs/openapi.json', import.meta.url)
  return resolveOpenapi(JSON.parse(readFileSync(file, 'utf8')))
}

/** Puts the named parts of a document where they are used, except for its schemas. */
export function resolveOpenapi(document: unknown): OpenapiDocument {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(resolve)
    if (isRef(value) && !value.$ref.startsWith('#/components/schemas/'))
      return resolve(lookUp(document, value.$ref))
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part)]))
  }
  return resolve(document) as OpenapiDocument
}

function isRef(value: object): value is Ref {
  return '$ref' in value && typeof value.$ref === 'string'
}

function lookUp(document: unknown, ref: string): unknown {
  const names = ref.replace('#/', '').split('/')
  return names.reduce((value, name) => (value as Record<string, unknown>)[name], document)
}

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { 'date-time': isDateTime, uri: (text: string) => URL.canParse(text) },
})
const compiled = new WeakMap<JsonSchema, ReturnType<typeof ajv.compile>>()

/** What is wrong with a value, by a schema of the document; nothing when it is valid. */
export function schemaProblems(
  { components }: OpenapiDocument,
  schema: JsonSchema,
  value: unknown,
): string[] {
  const check = compiled.get(schema) ?? ajv.compile({ ...schema, components })
  compiled.set(schema, check)
  if (check(value)) return []
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function isDateTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  )
}
