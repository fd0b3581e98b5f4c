import { once } from 'node:events'
import { eventually } from '@herald/testing/eventually'
import { describe, expect, test } from 'vitest'
import { testWorld, type World } from './world.ts'

/** Points before the note that the call is made: the next worker does it, so the post must be live. */
const SAFE_POINTS = ['publisher.attempts-added', 'publisher.taken', 'publisher.prepared']
/** Points where nobody knows, or where the outcome is known but not told. */
const LATE_POINTS = [
  'publisher.calling',
  'publisher.called',
  'publisher.recorded',
  'publisher.reporting',
  'publisher.reported',
]

async function allEnded(world: World, ids: string[]) {
  await eventually(
    async () => {
      for (const id of ids) expect(['published', 'failed']).toContain((await world.get(id)).status)
    },
    { timeoutMs: 45_000 },
  )
}

async function expectAtMostOnce(world: World): Promise<void> {
  for (const channel of [world.mastodon, world.bluesky]) {
    const texts = (await world.sandbox.live(channel)).map(({ text }) => text)
    expect(texts.length).toBe(new Set(texts).size)
  }
}

async function createPosts(world: World, count: number, label: string): Promise<string[]> {
  const created = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      world.create({
        content: `${label} ${index}`,
        channelIds: [world.mastodon.id, world.bluesky.id],
      }),
    ),
  )
  return created.map(({ id }) => id)
}

describe('a publisher killed at', () => {
  test.each([...SAFE_POINTS, ...LATE_POINTS])(
    '%s leaves no channel with a post twice, and every post ends',
    async (point) => {
      await using world = await testWorld({ processes: { publisher: 0 } })
      const doomed = world.spawn('publisher', `${point}#2`)
      const died = once(doomed, 'exit')
      const ids = await createPosts(world, 4, point)
      expect((await died)[1]).toBe('SIGKILL')
      world.spawn('publisher')
      world.spawn('publisher')
      await allEnded(world, ids)
      await expectAtMostOnce(world)
      if (SAFE_POINTS.includes(point))
        for (const id of ids) expect((await world.get(id)).status).toBe('published')
      const { mismatches } = await world.posts.checkProjections({})
      expect(mismatches).toEqual([])
    },
  )
})

describe('a posts service killed at', () => {
  test.each(['scheduler.claimed', 'relay.read', 'relay.published', 'relay.deleted'])(
    '%s loses no post, and each goes live once',
    async (point) => {
      await using world = await testWorld({ processes: { posts: 0 } })
      const doomed = world.spawn('posts', `${point}#3`)
      const ids: string[] = []
      for (let index = 0; doomed.signalCode === null; index++) {
        const answer = await world.call('POST', '/posts', {
          content: `while dying ${index}`,
          channelIds: [world.mastodon.id],
        })
        if (answer.status === 201) ids.push((answer.body as { id: string }).id)
      }
      expect(doomed.signalCode).toBe('SIGKILL')
      expect(ids.length).toBeGreaterThan(0)
      world.spawn('posts')
      await allEnded(world, ids)
      await expectAtMostOnce(world)
      for (const id of ids) expect((await world.get(id)).status).toBe('published')
    },
  )

  test.each(['posts.before-append', 'posts.appended'])(
    '%s has the post wholly or not at all, and the same request tells which',
    async (point) => {
      await using world = await testWorld({ processes: { posts: 0 } })
      const doomed = world.spawn('posts', point)
      const body = { content: `all or nothing at ${point}`, channelIds: [world.mastodon.id] }
      const died = once(doomed, 'exit')
      await eventually(async () => {
        await world.call('POST', '/posts', body)
        expect(doomed.signalCode).toBe('SIGKILL')
      })
      await died
      world.spawn('posts')
      await eventually(async () => {
        const { status, body: answer } = await world.call('POST', '/posts', body)
        const error = (answer as { error?: { code: string; details: { postId: string } } }).error
        if (point === 'posts.before-append') expect(status).toBe(201)
        else {
          expect(error?.code).toBe('duplicate_post')
          expect((await world.get(error!.details.postId)).content).toBe(body.content)
        }
      })
      await eventually(async () =>
        expect((await world.sandbox.live(world.mastodon)).length).toBe(1),
      )
    },
  )
})

test('two publishers with 100 posts publish each of them exactly once', async () => {
  await using world = await testWorld({ processes: { publisher: 2 } })
  const ids = await createPosts(world, 100, 'shared')
  await allEnded(world, ids)
  for (const channel of [world.mastodon, world.bluesky])
    expect((await world.sandbox.live(channel)).length).toBe(100)
  await expectAtMostOnce(world)
})
