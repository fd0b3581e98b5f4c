import type { Route } from '@herald/contracts/http'
import type { oas31, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { ErrorSchema } from './error-schema.ts'
import type { Features } from './features.ts'
import { headerRefs, type HeaderName, headersOf, sharedHeaders } from './headers.ts'
import type { AnyOperationDoc } from './operation-doc.ts'
import { envelopeOf, EVERYWHERE, type Refusal, refusalsOf, statusOf } from './refusals.ts'

type Refusals = [name: string, refusal: Refusal][]

/** The names of the answers that every route gives in the same way. */
const SHARED_NAMES: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  417: 'ExpectationFailed',
  429: 'TooManyRequests',
  431: 'RequestHeaderFieldsTooLarge',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
}

/** The answers that every route gives in the same way, as named components. */
export function sharedResponses(features: Features): Record<string, ZodOpenApiResponseObject> {
  const shared = byStatus(EVERYWHERE).map(([status, refusals]) => [
    sharedName(status),
    refusalResponse(refusals, sharedHeaders(status, features)),
  ])
  return Object.fromEntries(shared)
}

/** Every answer of a route, by status. */
export function responsesOf(
  route: Route,
  doc: AnyOperationDoc,
  features: Features,
): ZodOpenApiResponsesObject {
  const refused = byStatus(refusalsOf(route, doc, features)).map(([status, refusals]) => [
    String(status),
    refusals.every(([name]) => name in EVERYWHERE)
      ? ({ $ref: `#/components/responses/${sharedName(status)}` } satisfies oas31.ReferenceObject)
      : refusalResponse(refusals, headersOf(status, route, doc, features)),
  ])
  return {
    [`${route.status}`]: {
      description: doc.answer,
      headers: headerRefs(headersOf(route.status, route, doc, features)),
      content: { 'application/json': { schema: route.response, examples: doc.answers } },
    },
    ...(features.etags &&
      doc.hasEtag &&
      route.method === 'GET' &&
      notModified(route, doc, features)),
    ...Object.fromEntries(refused),
  }
}

function notModified(
  route: Route,
  doc: AnyOperationDoc,
  features: Features,
): ZodOpenApiResponsesObject {
  const headers = headerRefs(headersOf(304, route, doc, features))
  return { '304': { description: 'It is still what `If-None-Match` names.', headers } }
}

function refusalResponse(
  refusals: Refusals,
  headers: readonly HeaderName[],
): ZodOpenApiResponseObject {
  return {
    description: refusals.map(([, { code, when }]) => `- \`${code}\`: ${when}`).join('\n'),
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: ErrorSchema,
        examples: Object.fromEntries(
          refusals.map(([name, refusal]) => [
            name,
            { summary: refusal.when, value: envelopeOf(refusal) },
          ]),
        ),
      },
    },
  }
}

function byStatus(refusals: Record<string, Refusal>): [status: number, refusals: Refusals][] {
  const groups = Map.groupBy(Object.entries(refusals), ([, refusal]) => statusOf(refusal))
  return [...groups].toSorted(([one], [other]) => one - other)
}

function sharedName(status: number): string {
  const name = SHARED_NAMES[status]
  if (name === undefined) throw new Error(`The shared answer ${status} has no name.`)
  return name
}
