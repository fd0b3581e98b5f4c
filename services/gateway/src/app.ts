import { AppError } from '@herald/contracts/errors'
import { ROUTES, type Route, type RouteName } from '@herald/contracts/http'
import type { Logger } from '@herald/service/logger'
import express, { type Express, type Request } from 'express'
import { type AuthenticateDeps, authentication, requireApiAccess } from './authenticate.ts'
import { errorEnvelope } from './envelope.ts'
import { healthRoutes } from './health.ts'
import { parseJsonBody, readBytes, requireJson } from './json-body.ts'
import type { EdgeResponse, Middleware } from './locals.ts'
import { edge } from './edge.ts'
import { type ChannelsClient, listChannels } from './routes/channels.ts'
import type { Endpoint, EdgeRequest } from './routes/endpoint.ts'
import { getMe } from './routes/me.ts'
import * as postRoutes from './routes/posts.ts'
import { send } from './send.ts'
import { readQuery, validate } from './validate.ts'

export type AppDeps = AuthenticateDeps & {
  channels: ChannelsClient
  posts: postRoutes.PostsClient
  isReady: () => boolean
  logger: Logger
}
