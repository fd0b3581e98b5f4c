import { z } from 'zod'
import { Me, type Scope } from './accounts.ts'
import { Channel, ChannelOptions, ChannelOptionsQuery } from './channels.ts'
import {
  CreateUploadBody,
  DeletedMedia,
  ImportMediaBody,
  ListMediaQuery,
  Media,
  MediaPage,
  MediaUpload,
} from './media.ts'
import { PostValidation, RetryPostBody } from './post-actions.ts'
import { ListPostEventsQuery, PostHistoryPage } from './post-history.ts'
import {
  CreatePostBody,
  DeletedPost,
  EditPostBody,
  ListPostsQuery,
  Post,
  PostPage,
} from './posts.ts'

/** One endpoint of the public API. The table below drives the router, validation and the conformance tests. */
export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Relative to the base URL, with `:name` for a parameter. */
  path: string
  scope: Scope
  query?: z.ZodType
  body?: z.ZodType
  /** No body at all is then an empty one. */
  isBodyOptional?: boolean
  status: 200 | 201
  response: z.ZodType
}

/** Declares one endpoint, keeping its literal types. */
export function route<const R extends Route>(definition: R): R {
  return definition
}

/** Every endpoint of the API, by name (specification, "Endpoints"). */
export const ROUTES = {
  getMe: route({ method: 'GET', path: '/me', scope: 'read', status: 200, response: Me }),
  listChannels: route({
    method: 'GET',
    path: '/channels',
    scope: 'read',
    status: 200,
    response: z.strictObject({ data: z.array(Channel) }).meta({ id: 'ChannelList' }),
  }),
  listChannelOptions: route({
    method: 'GET',
    path: '/channels/:id/options',
    scope: 'read',
    query: ChannelOptionsQuery,
    status: 200,
    response: ChannelOptions,
  }),
  listPosts: route({
    method: 'GET',
    path: '/posts',
    scope: 'read',
    query: ListPostsQuery,
    status: 200,
    response: PostPage,
  }),
  createPost: route({
    method: 'POST',
    path: '/posts',
    scope: 'publish',
    body: CreatePostBody,
    status: 201,
    response: Post,
  }),
  validatePost: route({
    method: 'POST',
    path: '/posts/validate',
    scope: 'read',
    body: CreatePostBody,
    status: 200,
    response: PostValidation,
  }),
  getPost: route({
    method: 'GET',
    path: '/posts/:id',
    scope: 'read',
    status: 200,
    response: Post,
  }),
  editPost: route({
    method: 'PATCH',
    path: '/posts/:id',
    scope: 'publish',
    body: EditPostBody,
    status: 200,
    response: Post,
  }),
  deletePost: route({
    method: 'DELETE',
    path: '/posts/:id',
    scope: 'publish',
    status: 200,
    response: DeletedPost,
  }),
  listPostEvents: route({
    method: 'GET',
    path: '/posts/:id/events',
    scope: 'read',
    query: ListPostEventsQuery,
    status: 200,
    response: PostHistoryPage,
  }),
  retryPost: route({
    method: 'POST',
    path: '/posts/:id/retry',
    scope: 'publish',
    body: RetryPostBody,
    isBodyOptional: true,
    status: 200,
    response: Post,
  }),
  listMedia: route({
    method: 'GET',
    path: '/media',
    scope: 'read',
    query: ListMediaQuery,
    status: 200,
    response: MediaPage,
  }),
  importMedia: route({
    method: 'POST',
    path: '/media/import',
    scope: 'publish',
    body: ImportMediaBody,
    status: 201,
    response: Media,
  }),
  createUpload: route({
    method: 'POST',
    path: '/media/uploads',
    scope: 'publish',
    body: CreateUploadBody,
    status: 201,
    response: MediaUpload,
  }),
  getMedia: route({
    method: 'GET',
    path: '/media/:id',
    scope: 'read',
    status: 200,
    response: Media,
  }),
  deleteMedia: route({
    method: 'DELETE',
    path: '/media/:id',
    scope: 'publish',
    status: 200,
    response: DeletedMedia,
  }),
  completeUpload: route({
    method: 'POST',
    path: '/media/:id/complete',
    scope: 'publish',
    status: 200,
    response: Media,
  }),
}
export type RouteName = keyof typeof ROUTES
