import type { Cluster } from '@herald/local/cluster/cluster'
import type { Post } from '@herald/contracts/posts'
import { ask } from './floor.ts'
import { waitForEnd } from './wait-for-end.ts'

export type Published = {
  /** Milliseconds, for each post and channel. */
  late: number[]
  /** Posts that are on a channel more than once. */
  doubled: number
  /** Posts that a channel lacks. */
  missing: number
}

/** Waits until posts have ended and compares them with what is live. */
export async function publishedOnce(
  { apiUrl, demo, sandboxUrl }: Cluster,
  postIds: readonly string[],
): Promise<Published> {
  const posts: Post[] = []
  for (const id of postIds) posts.push(await waitForEnd({ apiUrl, demo }, id))
  const late = posts.flatMap(({ channels }) =>
    channels.flatMap(({ latenessMs }) => (latenessMs === null ? [] : [latenessMs])),
  )
  const [doubled, missing] = [new Set<string>(), new Set<string>()]
  for (const { platform } of demo.channels) {
    const text = await ask(`${sandboxUrl}/_/posts?platform=${platform}`, { expect: 200 })
    const { data } = JSON.parse(text) as { data: { text: string }[] }
    const live = Map.groupBy(data, (each) => each.text)
    for (const { id, content } of posts) {
      const times = live.get(content)?.length ?? 0
      if (times === 0) missing.add(id)
      if (times > 1) doubled.add(id)
    }
  }
  return { late, doubled: doubled.size, missing: missing.size }
}
