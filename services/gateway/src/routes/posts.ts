import { AppError } from '@herald/contracts/errors'
import { PostId } from '@herald/contracts/ids'
import type { Endpoint } from './route.ts'

/** `GET /posts`: newest first. */
export const listPosts: Endpoint<'listPosts'> = ({ posts }, { caller, query }) =>
  posts.list({ caller, ...query })

/** `POST /posts`: schedules a post, or publishes it now. */
export const createPost: Endpoint<'createPost'> = ({ posts }, { caller, body }) =>
  posts.create({ caller, source: 'api', body })

/** `GET /posts/{id}`. */
export const getPost: Endpoint<'getPost'> = async ({ posts }, { caller, params }) =>
  posts.get({ caller, postId: postIdOf(params) })

/** `PATCH /posts/{id}`: edits a scheduled post. */
export const editPost: Endpoint<'editPost'> = async ({ posts }, { caller, params, body }) =>
  posts.edit({ caller, postId: postIdOf(params), body })

/** `DELETE /posts/{id}`: cancels or removes a post; never deletes it on a platform. */
export const deletePost: Endpoint<'deletePost'> = async ({ posts }, { caller, params }) =>
  posts.remove({ caller, postId: postIdOf(params) })

/** An id that cannot be a post's is answered as one that is not there. */
function postIdOf({ id = '' }: Record<string, string>): string {
  if (PostId.safeParse(id).success) return id
  throw new AppError('not_found', 'There is no such post.')
}
