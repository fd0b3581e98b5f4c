import { randomUUID } from 'node:crypto'
import { AppError } from '@herald/contracts/errors'
import { runInContext } from '@herald/service/context'
import type { Logger } from '@herald/service/logger'
import type { Request } from 'express'
import type { EdgeResponse, Middleware } from './locals.ts'
import { recordRequest } from './metrics.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** What every answer carries. The parser's own refusals, which never come here, carry it too. */
export const FIXED_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

/** The first step of each request: its id, the headers of every answer, the line in the log. */
export function edge(logger: Logger): Middleware {
  return (request, response, next) => {
    const requestId = requestIdOf(request)
    response.locals.requestId = requestId
    response.setHeader('X-Request-Id', requestId)
    for (const [name, value] of Object.entries(FIXED_HEADERS)) response.setHeader(name, value)
    const startedAt = performance.now()
    response.once('close', () => {
      const ms = performance.now() - startedAt
      recordRequest(request.method, response, ms / 1_000)
      writeLine(logger, request, response, ms)
    })
    runInContext({ requestId }, next)
  }
}

/**
 * HTTP/1.1 demands a Host, and nothing else than HTTP/1 is spoken here. Node would refuse the one without the envelope
 * and serve the other.
 */
export const requireHttp1: Middleware = ({ httpVersion, headers }, response, next) => {
  if (httpVersion === '1.0' || (httpVersion === '1.1' && headers.host !== undefined)) return next()
  response.setHeader('Connection', 'close')
  throw new AppError('validation_failed', 'The request is not HTTP/1.1 with a Host header.', {
    status: 400,
  })
}

function requestIdOf({ headers }: Request): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}

/** Never the URL itself, which may hold what a caller mistook for a place for a key. */
function writeLine(logger: Logger, request: Request, response: EdgeResponse, ms: number) {
  const { requestId, route, session } = response.locals
  logger.info(
    {
      requestId,
      method: request.method,
      route: route ?? null,
      status: response.headersSent ? response.statusCode : null,
      ms: Math.round(ms * 10) / 10,
      organizationId: session?.organization.id,
      key: session?.key.prefix,
    },
    'Request.',
  )
}
