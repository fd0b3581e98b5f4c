import type { Route } from '@herald/contracts/http'
import { z } from 'zod'
import type { oas31, ZodOpenApiOperationObject } from 'zod-openapi'
import type { Features } from './features.ts'
import type { AnyOperationDoc } from './operation-doc.ts'

type Parameters = NonNullable<ZodOpenApiOperationObject['parameters']>

const TAG = '"x5l0P9mVhQe2dT7bKc3nRfW1yUa"'

/** The headers a request may carry, beside its key. */
export const HEADER_PARAMETERS = {
  'Idempotency-Key': headerParameter(
    'Idempotency-Key',
    'A text of your own for this request. For 24 hours the same request with the same text gets the same answer and is not carried out again. It is 1 to 255 printable ASCII characters, taken as they are, and belongs to the API key; posts and media know their texts apart.',
    { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    'newsletter-2026-12-01',
  ),
  'If-None-Match': headerParameter(
    'If-None-Match',
    'The `ETag` that you have, or several, or `*`: 304 without a body as long as one of them is still the tag. What cannot be read is ignored.',
    { type: 'string' },
    TAG,
  ),
  'If-Match': headerParameter(
    'If-Match',
    'The `ETag` that you have read, or several, or `*`: 412 and nothing happens when none of them is the tag. A weak one never is.',
    { type: 'string' },
    TAG,
  ),
}

/** The parameters of a route: those of its path, its query and its headers. */
export function parametersOf(route: Route, doc: AnyOperationDoc, features: Features): Parameters {
  return [...pathParameters(doc), ...queryParameters(route, doc), ...headers(route, doc, features)]
}

function pathParameters({ params = {} }: AnyOperationDoc): Parameters {
  return Object.entries(params).map(([name, { schema, example }]) =>
    schema.meta({ ...schema.meta(), param: { in: 'path', name, example } }),
  )
}

function queryParameters({ query }: Route, doc: AnyOperationDoc): Parameters {
  if (!(query instanceof z.ZodObject)) return []
  return Object.entries<z.ZodType>(query.shape).map(([name, schema]) => {
    const example = asShown(schema, doc.query?.[name])
    return schema.meta({ ...schema.meta(), param: { in: 'query', name, example } })
  })
}

/** A query is text, but a number in it is described, and so shown, as a number. */
function asShown(schema: z.ZodType, written: string | undefined): string | number | undefined {
  const { data } = schema.safeParse(written)
  return typeof data === 'number' ? data : written
}

function headers({ method }: Route, doc: AnyOperationDoc, features: Features): Parameters {
  const names: (keyof typeof HEADER_PARAMETERS)[] = []
  if (features.idempotencyKeys && doc.takesIdempotencyKey) names.push('Idempotency-Key')
  if (features.etags && doc.hasEtag && method === 'GET') names.push('If-None-Match')
  if (features.etags && doc.hasEtag && (method === 'PATCH' || method === 'DELETE'))
    names.push('If-Match')
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function headerParameter(
  name: string,
  description: string,
  schema: oas31.SchemaObject,
  example: string,
): oas31.ParameterObject {
  return { name, in: 'header', required: false, description, schema, example }
}
