import type { Route } from '@herald/contracts/http'
import type { oas31 } from 'zod-openapi'
import type { Features } from './features.ts'
import type { AnyOperationDoc } from './operation-doc.ts'

const text = (description: string, example: string): oas31.HeaderObject => ({
  description,
  schema: { type: 'string' },
  example,
})
const whole = (description: string, example: number): oas31.HeaderObject => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
})
const always = (header: oas31.HeaderObject): oas31.HeaderObject => ({ ...header, required: true })

/** Every header that an answer can carry, besides those of HTTP itself. */
export const HEADERS = {
  'X-Request-Id': always(
    text(
      'The id of the request: the one you sent, if it is 1 to 128 letters, digits, `.`, `_` and `-`. Name it when you ask about an answer.',
      '0f7c2f1e-6f0b-4f6e-9a53-6d5a2c9d1f10',
    ),
  ),
  'Cache-Control': always(text('No answer may be kept.', 'no-store')),
  'X-Content-Type-Options': always(text('The content type is meant as it is.', 'nosniff')),
  'WWW-Authenticate': always(text('How to authenticate.', 'Bearer')),
  Allow: always(text('The methods that the path takes.', 'GET, POST')),
  'Retry-After': always(whole('Seconds to wait before trying again.', 1)),
  'RateLimit-Policy': text(
    'The limits: `minute` for the key, `month` for the organization, each with its number of requests and its seconds.',
    '"minute";q=60;w=60, "month";q=10000;w=2592000',
  ),
  RateLimit: text(
    'What is left of each limit, and the seconds until more is.',
    '"minute";r=59;t=1, "month";r=9120;t=828000',
  ),
  'X-RateLimit-Limit': whole('Requests per minute.', 60),
  'X-RateLimit-Remaining': whole('Requests that would pass now.', 59),
  'X-RateLimit-Reset': whole(
    'When one request more becomes possible, in seconds since 1970.',
    1795253401,
  ),
  ETag: always(
    text(
      'The tag of the resource as this key sees it, for `If-None-Match` and `If-Match`. Whatever changes in it changes the tag.',
      '"x5l0P9mVhQe2dT7bKc3nRfW1yUa"',
    ),
  ),
  'Idempotent-Replayed': {
    description: 'The answer is the one that an earlier request with this `Idempotency-Key` got.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
} satisfies Record<string, oas31.HeaderObject>
export type HeaderName = keyof typeof HEADERS

const ALWAYS: HeaderName[] = ['X-Request-Id', 'Cache-Control', 'X-Content-Type-Options']
const OF_STATUS: Record<number, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}
const OF_RATE_LIMITS: HeaderName[] = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]
/** Answered before anybody knows whose request it is. */
const UNAUTHENTICATED = new Set([400, 401, 408, 417, 431])

/** The headers of an answer that any route can give. */
export function sharedHeaders(status: number, features: Features): HeaderName[] {
  return [
    ...ALWAYS,
    ...(OF_STATUS[status] ?? []),
    ...(features.rateLimitHeaders && !UNAUTHENTICATED.has(status) ? OF_RATE_LIMITS : []),
  ]
}

/** The headers of an answer of one route. */
export function headersOf(
  status: number,
  route: Route,
  doc: AnyOperationDoc,
  features: Features,
): HeaderName[] {
  const isVersion = status === 304 || (status === route.status && route.method !== 'DELETE')
  return [
    ...sharedHeaders(status, features),
    ...(features.etags && doc.hasEtag && isVersion ? (['ETag'] as const) : []),
    ...(features.idempotencyKeys && doc.takesIdempotencyKey && status === route.status
      ? (['Idempotent-Replayed'] as const)
      : []),
  ]
}

/** References to the named headers, as a response holds them. */
export function headerRefs(names: readonly HeaderName[]): oas31.HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
