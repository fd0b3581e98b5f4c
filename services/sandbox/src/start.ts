import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { loadConfig, serviceEnv } from '@herald/service/config'
import { createLogger } from '@herald/service/logger'
import express, { type NextFunction, type Request, type Response } from 'express'
import { z } from 'zod'
import { controlRouter } from './control.ts'
import { createFaults, Fault } from './faults.ts'
import { openLedger } from './ledger.ts'
import { blueskyAccounts } from './platforms/bluesky/accounts.ts'
import { blueskyRouter } from './platforms/bluesky/router.ts'
import { mastodonAccounts } from './platforms/mastodon/accounts.ts'
import { mastodonRouter } from './platforms/mastodon/router.ts'
import { timelinePage } from './timeline-page.ts'
import type { World } from './world.ts'

const SandboxEnv = z.object({
  LOG_LEVEL: serviceEnv.LOG_LEVEL,
  HOST: z.string().default('127.0.0.1'),
  /** 0 is any free port. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(8081),
  /** Where accounts and posts are kept over a restart; in memory without it. */
  SANDBOX_DATA_DIR: z.string().optional(),
})

/** Starts the sandbox: stand-ins of the platforms for trying Herald and for its tests. Never in production. */
export async function start(env: Record<string, string | undefined>) {
  const config = loadConfig(SandboxEnv, env)
  const logger = createLogger({ service: 'sandbox', level: config.LOG_LEVEL })
  let ahead = 0
  let url = ''
  const world: World = {
    ledger: openLedger(config.SANDBOX_DATA_DIR),
    faults: createFaults(),
    now: () => Date.now() + ahead,
    url: () => url,
  }
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  const makers = { MASTODON: mastodonAccounts, BLUESKY: blueskyAccounts }
  app.use('/_', controlRouter({ ...world, makers, advance: (ms) => void (ahead += ms) }))
  app.use(mastodonAccounts.path, mastodonRouter(world))
  app.use(blueskyAccounts.path, blueskyRouter(world))
  app.get('/healthz', (_, response) => void response.json({ status: 'ok' }))
  addPage(app, world)
  app.use((error: unknown, _: Request, response: Response, _next: NextFunction) => {
    logger.warn({ error }, 'A request of the sandbox failed.')
    response.status(400).json({ error: 'BadRequest', message: 'The request is not valid.' })
  })
  const server = app.listen(config.PORT, config.HOST)
  await once(server, 'listening')
  url = `http://${config.HOST}:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function addPage(app: express.Express, world: World): void {
  const back = (response: Response) => response.redirect(303, '/')
  app.get('/', (_, response) => void response.type('html').send(timelinePage(world)))
  app.post('/faults', express.urlencoded(), (request, response) => {
    const fault = Fault.safeParse({ ...(request.body as object), times: 1 })
    if (fault.success) world.faults.arm(fault.data)
    back(response)
  })
  app.post('/faults/clear', (_, response) => {
    world.faults.clear()
    back(response)
  })
}
