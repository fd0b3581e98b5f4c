import type { Connection } from './connection.ts'
import { listAt } from './list.ts'
import { pathOf } from './path.ts'
import type {
  Deleted,
  NewPost,
  Post,
  PostEdit,
  PostEvent,
  PostQuery,
  Validation,
} from './resources.ts'
import { type CallOptions, send } from './send.ts'

/** The calls about posts. */
export function postsOf(connection: Connection) {
  return {
    /** Schedules a post, or publishes it now when it has no `publishAt`. */
    create: (body: NewPost, options?: CallOptions) =>
      send<Post>(connection, { ...options, method: 'POST', path: '/posts', body }),
    get: async (id: string, options?: CallOptions) =>
      send<Post>(connection, { ...options, method: 'GET', path: pathOf`/posts/${id}` }),
    /** Newest first. */
    list: (query?: PostQuery, options?: CallOptions) =>
      listAt<Post>(connection, '/posts', query, options),
    /** Changes a scheduled post. */
    edit: async (id: string, body: PostEdit, options?: CallOptions) =>
      send<Post>(connection, { ...options, method: 'PATCH', path: pathOf`/posts/${id}`, body }),
    /** Cancels a scheduled post, or removes an ended one from Herald; what is live stays live. */
    remove: async (id: string, options?: CallOptions) =>
      send<Deleted>(connection, { ...options, method: 'DELETE', path: pathOf`/posts/${id}` }),
    /** Whether a post could be created, without creating it. */
    validate: (body: NewPost, options?: CallOptions) =>
      send<Validation>(connection, { ...options, method: 'POST', path: '/posts/validate', body }),
    /** Publishes again on the channels that failed; on those of unknown outcome only when told to. */
    retry: async (id: string, body: { includeUnconfirmed?: boolean } = {}, options?: CallOptions) =>
      send<Post>(connection, {
        ...options,
        method: 'POST',
        path: pathOf`/posts/${id}/retry`,
        body,
      }),
    /** Everything that happened to a post, oldest first. */
    events: (id: string, query?: { limit?: number; cursor?: string }, options?: CallOptions) =>
      listAt<PostEvent>(connection, pathOf`/posts/${id}/events`, query, options),
  }
}
