import type { Route, RouteName, ROUTES } from '@herald/contracts/http'
import type { z } from 'zod'
import type { Refusal } from './refusals.ts'
import type { TagName } from './tags.ts'

export type Example<T = unknown> = { summary: string; value: T }
export type Examples<T = unknown> = Record<string, Example<T>>

export type ParamDoc = { schema: z.ZodType; example: string }

/** What the document says of an endpoint beyond what its row of `ROUTES` says. */
export type AnyOperationDoc = {
  tag: TagName
  summary: string
  /** Markdown. The scope is added to it. */
  description: string
  /** The parameters of the path. */
  params?: Record<string, ParamDoc>
  /** An example of each parameter of the query, as it stands in a URL. */
  query?: Record<string, string>
  /** Bodies to send. */
  requests?: Examples
  /** What the success answer means, and bodies of it. */
  answer: string
  answers: Examples
  /** Its own refusals; those of every route with its scope, body or query are added to them. */
  refusals?: Record<string, Refusal>
  /** It answers or changes a single resource that has an `ETag`. */
  hasEtag?: boolean
  /** It takes an `Idempotency-Key`. */
  takesIdempotencyKey?: boolean
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** The same with the types of one row: a parameter or a body that comes to the row is missed here. */
export type OperationDoc<R extends Route> = AnyOperationDoc & {
  answers: Examples<z.input<R['response']>>
} & (R['path'] extends `${string}:${string}`
    ? { params: Record<ParamNames<R['path']>, ParamDoc> }
    : { params?: never }) &
  (R extends { query: infer Query extends z.ZodType }
    ? { query: Record<keyof z.input<Query>, string> }
    : { query?: never }) &
  (R extends { body: infer Body extends z.ZodType }
    ? { requests: Examples<z.input<Body>> }
    : { requests?: never })

/** The texts and examples of endpoints, by name. */
export type OperationDocs<Name extends RouteName = RouteName> = {
  [N in Name]: OperationDoc<(typeof ROUTES)[N]>
}
