import { once } from 'node:events'
import type { NewPost } from '@herald/client/resources'
import { PLATFORMS } from '@herald/platforms/rules-registry'
import { eventually } from '@herald/testing/eventually'
import pg from 'pg'
import { expect, test as base } from 'vitest'
import { connectOwn, withChoices } from './matrix-cells.ts'
import { easiest, fillLibrary, goodPost, type Library } from './matrix-posts.ts'
import { ownerUrl } from './owner-url.ts'
import { testWorld, type TestChannel, type World } from './world.ts'

type Scene = { world: World; library: Library }
type Posted = { id: string; channel: TestChannel }

/** Longer than a round of crashes, so that no attempt is taken up again before each has met its crash. */
const LEASE_SECONDS = 120

const test = base.extend<{ scene: Scene }>({
  scene: [
    async ({}, use) => {
      await using world = await testWorld({
        processes: { publisher: 0 },
        env: { CONCURRENCY: '1', LEASE_SECONDS: String(LEASE_SECONDS) },
      })
      await use({ world, library: await fillLibrary(world) })
    },
    { scope: 'file' },
  ],
})

/**
 * Before the note that the call is made the post is safe; after it, the platform tells what became of it, or nobody does.
 * What comes before and after these points is the same for all platforms: see `crash.test.ts`.
 */
test.for([
  ['publisher.prepared', 'published'],
  ['publisher.calling', 'published or unconfirmed'],
  ['publisher.called', 'published or unconfirmed'],
] as const)(
  'a publisher that is killed at %s of a post to each platform publishes none of them twice, and every post ends',
  { timeout: 300_000 },
  async ([point, ending], { scene }) => {
    const { world } = scene
    const channels = await Promise.all(
      PLATFORMS.map(({ rules }) => connectOwn(world, rules.platform)),
    )
    // News that a dead process has not taken in come again only later, so each post is one of as many channels as can be.
    const groups = [channels.filter(isForPictures), channels.filter((one) => !isForPictures(one))]
    const posted: Posted[] = []
    for (const group of groups.filter(({ length }) => length > 0)) {
      const { id } = await world.herald.posts.create(
        await postFor(world, group, scene.library, point),
      )
      posted.push(...group.map((channel) => ({ id, channel })))
      for (const _ of group) {
        const [, signal] = await once(world.spawn('publisher', point), 'exit')
        expect(signal).toBe('SIGKILL')
      }
    }
    await endLeases(world)
    world.spawn('publisher')
    const endings = await Promise.all(posted.map((one) => endingOf(world, one)))
    const allowed = ending === 'published' ? ['published once'] : ['published once', 'unconfirmed']
    for (const one of endings) expect(allowed).toContain(one)
  },
)

/** All platforms take one picture, save those that take videos only. */
function isForPictures({ platform }: TestChannel): boolean {
  return easiest(platform) !== 'video'
}

async function postFor(
  world: World,
  group: TestChannel[],
  library: Library,
  content: string,
): Promise<NewPost> {
  const part = group.every(isForPictures) ? 'image' : 'video'
  const posts = await Promise.all(
    group.map((channel) =>
      withChoices(world, channel, goodPost(channel.platform, part, library, content)),
    ),
  )
  return Object.assign({ channelIds: group.map(({ id }) => id) }, ...posts)
}

async function endingOf(world: World, { id, channel }: Posted): Promise<string> {
  const ended = await eventually(
    async () => {
      const post = await world.herald.posts.get(id)
      expect(['published', 'failed']).toContain(post.status)
      return post
    },
    { timeoutMs: 60_000, intervalMs: 500 },
  )
  const { length: live } = await world.sandbox.live(channel)
  const told = ended.channels.find(({ channelId }) => channelId === channel.id)
  if (told?.status === 'published')
    return live === 1 ? 'published once' : `published, live ${live} times`
  const code = told?.errorCode ?? ''
  return live > 1 ? `${code}, live ${live} times` : code
}

/** What the killed workers hold is free at once, and not when their time is over. */
async function endLeases({ databaseUrls }: World): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl(databaseUrls.publisher) })
  await client.connect()
  try {
    await client.query('update attempts set lease_until = now() where lease_until > now()')
  } finally {
    await client.end()
  }
}
