import { listChannels } from './channels.ts'
import { getMe } from './me.ts'
import { createPost, deletePost, editPost, getPost, listPosts } from './posts.ts'
import type { Endpoints } from './route.ts'

/** The function of every endpoint in the route table. */
export const ENDPOINTS: Endpoints = {
  getMe,
  listChannels,
  listPosts,
  createPost,
  getPost,
  editPost,
  deletePost,
}
