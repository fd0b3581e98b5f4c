import type { Scope } from '@herald/contracts/accounts'
import { AppError } from '@herald/contracts/errors'
import type { Route } from '@herald/contracts/http'
import type { Express, Request } from 'express'
import { parseJsonBody, readBytes, requireJson, requireJsonIfAny } from '../json-body.ts'
import type { EdgeResponse, Middleware } from '../locals.ts'
import { readQuery, validate } from '../validate.ts'
import { answer } from './answer.ts'
import { conditionsOf } from './conditions.ts'
import type { EdgeRequest, Endpoint } from './endpoint.ts'

const PREFIX = '/v1'
const REGISTER = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const

/** An endpoint as the router takes it: its types are checked and gone. */
export type Mountable = { route: Route; steps: Middleware[] }

/** Ties a handler to its row of the route table. */
export function endpoint<R extends Route>(route: R, handle: Endpoint<R>): Mountable {
  const run = async (request: Request, response: EdgeResponse) => {
    // The row's schemas have given what the row's types say.
    const checked = readRequest(route, request, response) as EdgeRequest<R>
    answer(route, request, response, await handle(checked))
  }
  return {
    route,
    steps: [
      requireScope(route.scope),
      ...(route.body ? [route.isBodyOptional ? requireJsonIfAny : requireJson, readBytes] : []),
      (request, response, next) => void run(request, response).catch(next),
    ],
  }
}

/** Puts endpoints into the router. Every other method of their paths is refused, HEAD and OPTIONS too. */
export function mount(app: Express, endpoints: Mountable[]): void {
  for (const [path, ofPath] of Map.groupBy(endpoints, ({ route }) => PREFIX + route.path)) {
    const refuse = refuseMethod(ofPath.map(({ route }) => route.method))
    const place = app.route(path)
    place.all(remember(path))
    // Else Express would let GET answer.
    place.head(refuse)
    for (const { route, steps } of ofPath) place[REGISTER[route.method]](...steps)
    place.all(refuse)
  }
}

function remember(path: string): Middleware {
  return (_request, response, next) => {
    response.locals.route = path
    next()
  }
}

/** Refuses with 405 and `Allow`. */
export function refuseMethod(allowed: string[]): Middleware {
  return (_request, response) => {
    response.setHeader('Allow', allowed.join(', '))
    throw new AppError('validation_failed', 'This path does not take this method.', { status: 405 })
  }
}

function requireScope(scope: Scope): Middleware {
  return (_request, response, next) => {
    if (response.locals.session?.key.scopes.includes(scope)) return next()
    throw new AppError('forbidden_scope', `The API key lacks the scope ${scope}.`)
  }
}

function readRequest(
  { query, body, isBodyOptional }: Route,
  request: Request,
  response: EdgeResponse,
) {
  const { session, quota } = response.locals
  if (!session) throw new Error('A route was reached without authentication.')
  return {
    caller: session.caller,
    key: session.key,
    organization: session.organization,
    quota,
    params: request.params,
    query: query && validate(query, readQuery(request.url), 'query'),
    body: body && validate(body, parseJsonBody(request.body, isBodyOptional), 'body'),
    ...conditionsOf(request),
  }
}
