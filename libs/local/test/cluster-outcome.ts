import type { Post } from '@herald/contracts/posts'
import { eventually } from '@herald/testing/eventually'
import pg from 'pg'
import { expect } from 'vitest'
import type { Cluster } from '../src/cluster/cluster.ts'
import type { DatabaseUrls } from '../src/databases.ts'
import type { SteadyLoad } from '../src/cluster/steady-load.ts'
import { sandboxClient } from './sandbox-client.ts'

/** What the service promises of posts that go live. */
const LATEST_MS = 60_000

/** Waits for more of the load, without which what was broken last would go unseen. */
export async function moreAnswers({ answers }: SteadyLoad): Promise<void> {
  const seen = answers.length
  await eventually(() => expect(answers.length).toBeGreaterThan(seen + 30), { timeoutMs: 90_000 })
}

/** Every one of these posts goes live on each of its channels, within a minute of its time and exactly once. */
export async function expectPublishedOnce(
  cluster: Cluster,
  postIds: readonly string[],
): Promise<void> {
  const posts = await Promise.all(postIds.map((id) => whenPublished(cluster, id)))
  expect(posts.length).toBeGreaterThan(0)
  const wanted = posts.map(({ content }) => content).toSorted()
  const sandbox = sandboxClient(cluster.sandboxUrl)
  for (const channel of cluster.demo.channels) {
    const live = (await sandbox.live(channel)).map(({ text }) => text)
    expect(live.toSorted()).toEqual(wanted)
  }
}

async function whenPublished(cluster: Cluster, id: string): Promise<Post> {
  const post = await whenEnded(cluster, id)
  expect(post.status).toBe('published')
  for (const { latenessMs } of post.channels) expect(latenessMs).toBeLessThan(LATEST_MS)
  return post
}

/** Every one of these posts ends, and is live on each channel that says so exactly once, and on no other. */
export async function expectNoneLostOrDoubled(
  cluster: Cluster,
  postIds: readonly string[],
): Promise<void> {
  const posts = await Promise.all(postIds.map((id) => whenEnded(cluster, id)))
  expect(posts.length).toBeGreaterThan(0)
  const sandbox = sandboxClient(cluster.sandboxUrl)
  for (const channel of cluster.demo.channels) {
    const live = (await sandbox.live(channel)).map(({ text }) => text)
    const said = posts.filter(({ channels }) =>
      channels.some(({ channelId, status }) => channelId === channel.id && status === 'published'),
    )
    expect(live.toSorted()).toEqual(said.map(({ content }) => content).toSorted())
  }
}

function whenEnded({ apiUrl, demo }: Cluster, id: string): Promise<Post> {
  return eventually(
    async () => {
      const headers = { authorization: `Bearer ${demo.apiKey}` }
      const signal = AbortSignal.timeout(20_000)
      const response = await fetch(`${apiUrl}/v1/posts/${id}`, { headers, signal })
      const post = (await response.json()) as Post
      expect(['published', 'failed']).toContain(post.status)
      return post
    },
    { timeoutMs: 150_000, intervalMs: 1_000 },
  )
}

const EVENT_SOURCED = ['accounts', 'channels', 'media', 'posts'] as const

/** Every stream of every service that keeps events has the versions 1 to n. */
export async function expectWholeStreams(ownerUrls: DatabaseUrls): Promise<void> {
  for (const name of EVENT_SOURCED) {
    const client = new pg.Client({ connectionString: ownerUrls[name] })
    await client.connect()
    try {
      const { rows } = await client.query(
        `select stream_id from events group by stream_id
         having min(version) <> 1 or max(version) <> count(*)`,
      )
      expect({ name, rows }).toEqual({ name, rows: [] })
    } finally {
      await client.end()
    }
  }
}
