import { AppError } from '@herald/contracts/errors'
import type { ROUTES } from '@herald/contracts/http'
import { PostId } from '@herald/contracts/ids'
import type { posts } from '@herald/contracts/posts'
import type { Client } from '@herald/contracts/rpc'
import type { Endpoint } from './endpoint.ts'

export type PostsClient = Pick<
  Client<typeof posts>,
  'create' | 'validate' | 'get' | 'list' | 'edit' | 'remove' | 'events' | 'retry'
>
type Routes = typeof ROUTES

/** `POST /posts` */
export function createPost(posts: PostsClient): Endpoint<Routes['createPost']> {
  return ({ caller, body, idempotencyKey }) =>
    posts.create({ caller, source: 'api', body, idempotencyKey })
}

/** `GET /posts` */
export function listPosts(posts: PostsClient): Endpoint<Routes['listPosts']> {
  return ({ caller, query }) => posts.list({ caller, ...query })
}

/** `GET /posts/{id}` */
export function getPost(posts: PostsClient): Endpoint<Routes['getPost']> {
  return ({ caller, params }) => onPost(params.id, (postId) => posts.get({ caller, postId }))
}

/** `PATCH /posts/{id}` */
export function editPost(posts: PostsClient): Endpoint<Routes['editPost']> {
  return ({ caller, params, body, ifMatch }) =>
    onPost(params.id, (postId) => posts.edit({ caller, postId, body, ifMatch }))
}

/** `DELETE /posts/{id}` */
export function deletePost(posts: PostsClient): Endpoint<Routes['deletePost']> {
  return ({ caller, params, ifMatch }) =>
    onPost(params.id, (postId) => posts.remove({ caller, postId, ifMatch }))
}

/** `POST /posts/validate` */
export function validatePost(posts: PostsClient): Endpoint<Routes['validatePost']> {
  return ({ caller, body }) => posts.validate({ caller, body })
}

/** `GET /posts/{id}/events` */
export function listPostEvents(posts: PostsClient): Endpoint<Routes['listPostEvents']> {
  return ({ caller, params, query }) =>
    onPost(params.id, (postId) => posts.events({ caller, postId, ...query }))
}

/** `POST /posts/{id}/retry` */
export function retryPost(posts: PostsClient): Endpoint<Routes['retryPost']> {
  return ({ caller, params, body, idempotencyKey }) =>
    onPost(params.id, (postId) => posts.retry({ caller, postId, body, idempotencyKey }))
}

/** What is no post id names no post; the answer is that of the posts service. */
async function onPost<T>(id: string, call: (postId: string) => Promise<T>): Promise<T> {
  if (!PostId.safeParse(id).success) throw new AppError('not_found', 'There is no such post.')
  return call(id)
}
