import { AppError } from '@herald/contracts/errors'
import type { Scope } from '@herald/contracts/accounts'
import type { Route } from '@herald/contracts/http'
import type { Express, Request } from 'express'
import { parseJsonBody, readBytes, requireJson } from '../json-body.ts'
import type { EdgeResponse, Middleware } from '../locals.ts'
import { send } from '../send.ts'
import { readQuery, validate } from '../validate.ts'
import type { EdgeRequest, Endpoint } from './endpoint.ts'

const PREFIX = '/v1'

/** An endpoint ready to be put into the router, its types checked and gone. */
export type Mountable = { route: Route; path: string; steps: Middleware[] }

/** Ties a handler to its row of the route table. */
export function endpoint<R extends Route>(route: R, handle: Endpoint<R>): Mountable {
  const path = PREFIX + route.path
  const run = async (request: Request, response: EdgeResponse) => {
    // The schemas of the row give exactly what the row's types say.
    const checked = checkedRequest(route, request, response) as EdgeRequest<R>
    send(response, route.status, await handle(checked))
  }
  return {
    route,
    path,
    steps: [
      requireScope(route.scope),
      ...(route.body ? [requireJson, readBytes] : []),
      (request, response, next) => void run(request, response).catch(next),
    ],
  }
}

/** Puts endpoints into the router, and the answer to every other method of their paths. */
export function mount(app: Express, endpoints: Mountable[]): void {
  for (const [path, ofPath] of Map.groupBy(endpoints, (item) => item.path)) {
    app.all(path, (request: Request, response: EdgeResponse, next: NextFunction) => {
      response.locals.route = path
      next()
    })
    for (const { route, steps } of ofPath) app[methodName(route)](path, ...steps)
    app.all(path, refuseMethod(ofPath.map(({ route }) => route.method)))
  }
}
