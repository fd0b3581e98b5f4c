import { unavailable } from '@herald/contracts/errors'
import { Router } from 'express'
import type { EdgeResponse } from './locals.ts'
import { send } from './send.ts'

/** Whether the process lives, and whether it has a road to the services. Neither asks for a key. */
export function healthRoutes(isReady: () => Promise<boolean>): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.get('/healthz', (_request, response: EdgeResponse) => {
    response.locals.route = '/healthz'
    send(response, 200, { status: 'ok' })
  })
  router.get('/readyz', async (_request, response: EdgeResponse) => {
    response.locals.route = '/readyz'
    if (!(await isReady())) throw unavailable()
    send(response, 200, { status: 'ready' })
  })
  return router
}
