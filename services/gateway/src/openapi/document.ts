import { type Route, type RouteName, ROUTES } from '@herald/contracts/http'
import { ChannelRules } from '@herald/contracts/platforms'
import { PostOptions } from '@herald/contracts/post-options'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { FEATURES, type Features } from './features.ts'
import { HEADERS } from './headers.ts'
import { INTRODUCTION } from './introduction.ts'
import type { AnyOperationDoc } from './operation-doc.ts'
import { OPERATIONS } from './operations.ts'
import { HEADER_PARAMETERS, parametersOf } from './parameters.ts'
import { responsesOf, sharedResponses } from './responses.ts'
import { schemaOverride } from './schema-override.ts'
import { TAGS } from './tags.ts'

type Document = ReturnType<typeof createDocument>

const NAMES = Object.keys(ROUTES) as RouteName[]

/** The OpenAPI document of the API, in an order that depends on the contract alone. */
export function openapiDocument(features: Features = FEATURES) {
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Herald API',
        version: '1.0.0',
        description: INTRODUCTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/v1', description: 'The host that serves this document.' }],
      security: [{ apiKey: [] }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      paths: pathsOf(features),
      components: {
        schemas: { ChannelRules, ...namedOptions() },
        headers: HEADERS,
        parameters: HEADER_PARAMETERS,
        responses: sharedResponses(features),
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key: `herald_live_`, 40 random characters and 6 of checksum. A revoked or expired key is refused within 5 seconds.',
          },
        },
      },
    },
    { override: schemaOverride },
  )
  return { ...document, components: usedComponents(document) }
}

/** The options of each platform, named after it. */
function namedOptions() {
  const options = Object.entries(PostOptions.shape)
  return Object.fromEntries(
    options.map(([platform, schema]) => [
      `${platform.charAt(0).toUpperCase()}${platform.slice(1)}Options`,
      schema.unwrap(),
    ]),
  )
}

function pathsOf(features: Features): ZodOpenApiPathsObject {
  const byPath = Map.groupBy(NAMES, (name) => ROUTES[name].path)
  const items = [...byPath].map(([path, names]) => [
    path.replaceAll(/:(\w+)/g, '{$1}'),
    Object.fromEntries(
      names.map((name) => [ROUTES[name].method.toLowerCase(), operationOf(name, features)]),
    ),
  ])
  return Object.fromEntries(items)
}

function operationOf(name: RouteName, features: Features): ZodOpenApiOperationObject {
  const route: Route = ROUTES[name]
  const doc: AnyOperationDoc = OPERATIONS[name]
  const parameters = parametersOf(route, doc, features)
  return {
    operationId: name,
    tags: [doc.tag],
    summary: doc.summary,
    description: `${doc.description.trim()}\n\nNeeds the scope \`${route.scope}\`.`,
    security: [{ apiKey: [route.scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: !route.isBodyOptional,
        content: { 'application/json': { schema: route.body, examples: doc.requests ?? {} } },
      },
    }),
    responses: responsesOf(route, doc, features),
  }
}

/** Sorted by name, and without those that only a feature that is off would use. */
function usedComponents(document: Document): NonNullable<Document['components']> {
  const text = JSON.stringify(document)
  const isUsed = (kind: string, name: string) =>
    kind === 'securitySchemes' || text.includes(`"#/components/${kind}/${name}"`)
  const kinds = sorted<Record<string, unknown>>({ ...document.components }).map(
    ([kind, named]) => [kind, sorted(named).filter(([name]) => isUsed(kind, name))] as const,
  )
  return Object.fromEntries(
    kinds
      .filter(([, named]) => named.length > 0)
      .map(([kind, named]) => [kind, Object.fromEntries(named)]),
  )
}

function sorted<T>(named: Record<string, T>): [name: string, value: T][] {
  return Object.entries(named).toSorted(([one], [other]) => (one < other ? -1 : 1))
}
