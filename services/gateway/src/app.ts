import { AppError } from '@herald/contracts/errors'
import { ROUTES } from '@herald/contracts/http'
import type { Logger } from '@herald/service/logger'
import express, { type Express } from 'express'
import { admission } from './admission.ts'
import type { QuotaClient } from './batched-admissions.ts'
import { requireApiAccess } from './authenticate.ts'
import { edge, requireHttp1 } from './edge.ts'
import { errorEnvelope } from './envelope.ts'
import { healthRoutes } from './health.ts'
import type { Middleware } from './locals.ts'
import { quotaOutage } from './quota-outage.ts'
import { type ChannelsClient, listChannelOptions, listChannels } from './routes/channels.ts'
import {
  completeUpload,
  createUpload,
  deleteMedia,
  getMedia,
  importMedia,
  listMedia,
  type MediaClient,
} from './routes/media.ts'
import { connectRoutes } from './routes/connect.ts'
import { docsRoutes } from './routes/docs.ts'
import { getMe } from './routes/me.ts'
import { endpoint, mount } from './routes/mount.ts'
import {
  createPost,
  deletePost,
  editPost,
  getPost,
  listPostEvents,
  listPosts,
  type PostsClient,
  retryPost,
  validatePost,
} from './routes/posts.ts'
import { shedLoad } from './shed-load.ts'

export type AppDeps = {
  authenticate: Middleware
  channels: ChannelsClient
  media: MediaClient
  posts: PostsClient
  quota: QuotaClient
  /** Whether there is any road to the services. */
  isReady: () => Promise<boolean>
  logger: Logger
  /** Addresses and ranges whose `X-Forwarded-For` is believed. */
  trustedProxies?: readonly string[]
  /** Whether the process cannot keep up. */
  isOverloaded?: () => boolean
  /** Milliseconds that only ever grow. */
  elapsed?: () => number
}

/** The public API. The order of the steps is the order in which a request is refused. */
export function createApp(deps: AppDeps): Express {
  const { authenticate, channels, media, posts, quota, isReady, logger, elapsed } = deps
  const { isOverloaded = () => false } = deps
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.set('trust proxy', deps.trustedProxies ?? [])
  app.enable('case sensitive routing')
  app.enable('strict routing')

  const admit = admission(quota, quotaOutage({ logger, ...(elapsed && { elapsed }) }))
  app.use(edge(logger), requireHttp1, healthRoutes(isReady))
  app.use(shedLoad({ isOverloaded, logger }), docsRoutes())
  app.use(connectRoutes({ channels, logger, ...(elapsed && { elapsed }) }))
  app.use(authenticate, requireApiAccess, admit)
  mount(app, [
    endpoint(ROUTES.getMe, getMe),
    endpoint(ROUTES.listChannels, listChannels(channels)),
    endpoint(ROUTES.listChannelOptions, listChannelOptions(channels)),
    endpoint(ROUTES.listPosts, listPosts(posts)),
    endpoint(ROUTES.createPost, createPost(posts)),
    // Before the paths with an id, which would take it for one.
    endpoint(ROUTES.validatePost, validatePost(posts)),
    endpoint(ROUTES.getPost, getPost(posts)),
    endpoint(ROUTES.editPost, editPost(posts)),
    endpoint(ROUTES.deletePost, deletePost(posts)),
    endpoint(ROUTES.listPostEvents, listPostEvents(posts)),
    endpoint(ROUTES.retryPost, retryPost(posts)),
    endpoint(ROUTES.listMedia, listMedia(media)),
    endpoint(ROUTES.importMedia, importMedia(media)),
    endpoint(ROUTES.createUpload, createUpload(media)),
    endpoint(ROUTES.getMedia, getMedia(media)),
    endpoint(ROUTES.deleteMedia, deleteMedia(media)),
    endpoint(ROUTES.completeUpload, completeUpload(media)),
  ])
  app.use(unknownPath, errorEnvelope(logger))
  return app
}

const unknownPath: Middleware = () => {
  throw new AppError('not_found', 'There is nothing at this path.')
}
