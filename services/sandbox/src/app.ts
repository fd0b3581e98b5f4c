import express, { type Express } from 'express'
import { controlRouter } from './control.ts'
import { sendPage } from './html.ts'
import type { Core } from './platform.ts'
import { mastodon } from './platforms/mastodon/platform.ts'
import { bluesky } from './platforms/bluesky/platform.ts'
import { timelinePage } from './timeline.ts'

/** All of the sandbox as one Express application. */
export function createApp(core: Core): Express {
  const platforms = [mastodon(core), bluesky(core)]
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' })
  })
  app.get('/', (_request, response) => sendPage(response, 200, timelinePage(core, platforms)))
  app.use('/_', controlRouter(core, platforms))
  for (const { path, router } of platforms) app.use(path, router)
  return app
}
