import type { channels } from '@herald/contracts/channels'
import type { ROUTES, Route, RouteName } from '@herald/contracts/http'
import type { Caller, posts } from '@herald/contracts/posts'
import type { Client } from '@herald/contracts/rpc'
import type { z } from 'zod'
import type { VerifiedKey } from '../key-cache.ts'

/** The services behind the endpoints. */
export type Services = {
  channels: Pick<Client<typeof channels>, 'list'>
  posts: Pick<Client<typeof posts>, 'create' | 'get' | 'list' | 'edit' | 'remove'>
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** What an endpoint's function gets: who calls, and the checked parts of the request. */
export type Request<R extends Route> = {
  verified: VerifiedKey
  caller: Caller
  params: Record<string, string>
  query: R extends { query: infer Query } ? Parsed<Query> : undefined
  body: R extends { body: infer Body } ? Parsed<Body> : undefined
}

/** The function of an endpoint. */
export type Endpoint<Name extends RouteName> = (
  services: Services,
  request: Request<(typeof ROUTES)[Name]>,
) => Promise<z.input<(typeof ROUTES)[Name]['response']>>

export type Endpoints = { [Name in RouteName]: Endpoint<Name> }
