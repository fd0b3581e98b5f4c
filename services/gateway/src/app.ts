import { randomUUID } from 'node:crypto'
import { AppError } from '@herald/contracts/errors'
import { type Route, type RouteName, ROUTES } from '@herald/contracts/http'
import { runInContext } from '@herald/service/context'
import type { Logger } from '@herald/service/logger'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { authenticate, requireScope } from './authenticate.ts'
import { readJson } from './body.ts'
import { sendError, sendJson } from './envelope.ts'
import type { KeyCache, VerifiedKey } from './key-cache.ts'
import { ENDPOINTS } from './routes/endpoints.ts'
import type { Services } from './routes/route.ts'
import { readQuery, validate } from './validate.ts'

export type AppDeps = {
  keys: KeyCache
  services: Services
  logger: Logger
  /** Whether the services can be reached at all. */
  isReady: () => boolean
}

const BASE = '/v1'
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/**
 * The HTTP edge. Routes come from the contract's table; for each request: an id, who calls, the plan, the route, the
 * scope, then the shape of what was sent. Every refusal is the envelope.
 */
export function createApp(deps: AppDeps): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.use(beginRequest(deps.logger))
  app.get('/healthz', (_, response) => sendJson(response, 200, { status: 'ok' }))
  app.get('/readyz', (_, response) => {
    const isReady = deps.isReady()
    sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready' })
  })
  app.use(async (request, response, next) => {
    response.locals.verified = await authenticate(request, deps.keys)
    next()
  })
  for (const [name, route] of Object.entries(ROUTES)) addRoute(app, name as RouteName, route, deps)
  for (const path of new Set(Object.values(ROUTES).map((route) => route.path)))
    app.all(`${BASE}${path}`, refuseMethod(path))
  app.use(() => {
    throw new AppError('not_found', 'There is nothing at this address.')
  })
  // Express knows an error handler by its four parameters.
  app.use((error: unknown, _: Request, response: Response, _next: NextFunction) =>
    sendError(response, error, deps.logger),
  )
  return app
}

/** Gives the request its id, the headers that every answer has, and a line in the log when it is over. */
function beginRequest(logger: Logger) {
  return (request: Request, response: Response, next: NextFunction) => {
    const given = request.get('x-request-id')
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID()
    response.setHeader('X-Request-Id', requestId)
    response.setHeader('Cache-Control', 'no-store')
    response.setHeader('X-Content-Type-Options', 'nosniff')
    if (logger.isLevelEnabled('info')) logWhenDone(request, response, logger, requestId)
    runInContext({ requestId, traceparent: request.get('traceparent') }, next)
  }
}

function logWhenDone(request: Request, response: Response, logger: Logger, requestId: string): void {
  const started = performance.now()
  response.on('finish', () => {
    const verified = response.locals.verified as VerifiedKey | undefined
    logger.info(
      {
        requestId,
        method: request.method,
        route: (request.route as { path: string } | undefined)?.path,
        status: response.statusCode,
        ms: Math.round(performance.now() - started),
        organizationId: verified?.organization.id,
        key: verified?.key.prefix,
      },
      'request',
    )
  })
}

function addRoute(app: Express, name: RouteName, route: Route, { services }: AppDeps): void {
  const endpoint = ENDPOINTS[name] as (services: Services, request: unknown) => Promise<unknown>
  const method = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete'
  app[method](`${BASE}${route.path}`, async (request: Request, response: Response) => {
    // Express gives HEAD to the route of GET.
    if (request.method !== route.method) return refuseMethod(route.path)(request, response)
    const verified = response.locals.verified as VerifiedKey
    requireScope(verified, route.scope)
    const { organization, key, keyId } = verified
    const answer = await endpoint(services, {
      verified,
      caller: { organizationId: organization.id, channels: key.channels, actor: `key:${keyId}` },
      params: request.params,
      query: route.query && validate(route.query, readQuery(request.url), 'query'),
      body: route.body && validate(route.body, await readJson(request), 'body'),
    })
    sendJson(response, route.status, answer)
  })
}

function refuseMethod(path: string) {
  const allowed = Object.values(ROUTES)
    .filter((route) => route.path === path)
    .map(({ method }) => method)
    .join(', ')
  return (_: Request, response: Response) => {
    response.setHeader('Allow', allowed)
    throw new AppError('validation_failed', `Only ${allowed} can be used here.`, { status: 405 })
  }
}
