import type { Route } from '@herald/contracts/http'
import type { Replayable } from '@herald/contracts/idempotency'
import type { IfMatch } from '@herald/contracts/if-match'
import type { Quota } from '@herald/contracts/quota'
import type { z } from 'zod'
import type { Session } from '../session.ts'

type OutputOf<R, Part extends string> =
  R extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : undefined

type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & ParamsOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : unknown

/** What a handler gets: who calls, and the request's parts as the route's schemas give them. */
export type EdgeRequest<R extends Route> = Pick<Session, 'caller' | 'key' | 'organization'> & {
  /** Nothing while the quota service is away. */
  quota: Quota | undefined
  params: ParamsOf<R['path']>
  query: OutputOf<R, 'query'>
  body: OutputOf<R, 'body'>
  /** Of a POST that carries one. */
  idempotencyKey?: string
  /** Of a PATCH or DELETE that carries one. */
  ifMatch?: IfMatch
}

/** One endpoint: takes a checked request, gives the body of the answer. */
export type Endpoint<R extends Route> = (
  request: EdgeRequest<R>,
) => Promise<Replayable<z.input<R['response']>>>
