import type { Post } from '@herald/contracts/posts'
import type { RunFile } from '@herald/local/run-file'
import { ask } from './floor.ts'

/** Asks for a post of the demo organization until it has ended. */
export async function waitForEnd(
  { apiUrl, demo }: Pick<RunFile, 'apiUrl' | 'demo'>,
  id: string,
): Promise<Post> {
  for (;;) {
    const text = await ask(`${apiUrl}/v1/posts/${id}`, { key: demo.apiKey, expect: 200 })
    const post = JSON.parse(text) as Post
    if (post.status === 'published' || post.status === 'failed') return post
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
