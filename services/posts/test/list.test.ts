import type { Post } from '@herald/contracts/posts'
import { describe, expect, test } from 'vitest'
import { claimDuePosts } from '../src/claim-due-posts.ts'
import { createDue, inSeconds, postsWorld, refusalOf, refusalsOf, type World } from './world.ts'

type Query = Omit<Parameters<World['handlers']['list']>[0], 'caller' | 'limit'>

function list(world: World, query: Query & { limit?: number } = {}, caller = world.caller()) {
  return world.handlers.list({ caller, limit: 25, ...query })
}

const ids = (posts: readonly Post[]) => posts.map(({ id }) => id)

/** A post that is at least a millisecond newer than those before it. */
function create(world: World, ...body: Parameters<World['create']>): Promise<Post> {
  world.clock.offsetMs++
  return world.create(...body)
}

/** Posts of different text, created one after the other. */
async function createMany(world: World, count: number, label = 'post'): Promise<Post[]> {
  const posts: Post[] = []
  for (let index = 0; index < count; index++)
    posts.push(await create(world, { content: `${label} ${index}`, publishAt: inSeconds(3600) }))
  return posts
}

describe('the list', () => {
  test('is newest first, as each post stands', async () => {
    await using world = await postsWorld()
    const posts = await createMany(world, 5)
    const page = await list(world)
    expect(page).toEqual({ data: posts.toReversed(), nextCursor: null })
  })

  test('is empty without posts', async () => {
    await using world = await postsWorld()
    expect(await list(world)).toEqual({ data: [], nextCursor: null })
  })

  test('is filtered by status', async () => {
    await using world = await postsWorld()
    const due = await createDue(world, { content: 'due' })
    const later = await create(world, { publishAt: inSeconds(3600) })
    await claimDuePosts(world.pool, 10)
    expect(ids((await list(world, { status: 'publishing' })).data)).toEqual([due.id])
    expect(ids((await list(world, { status: 'scheduled' })).data)).toEqual([later.id])
    expect((await list(world, { status: 'failed' })).data).toEqual([])
  })

  test('is filtered by channel', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const one = await create(world, { channelIds: [mastodon] })
    const both = await create(world, { channelIds: [bluesky, mastodon] })
    expect(ids((await list(world, { channelId: mastodon })).data)).toEqual([both.id, one.id])
    expect((await list(world, { channelId: bluesky })).data).toEqual([both])
    expect((await list(world, { channelId: 'nonsense' })).data).toEqual([])
  })

  test('is filtered by the scheduled time, from inclusive, to exclusive', async () => {
    await using world = await postsWorld()
    const [first, second, third] = [inSeconds(1000), inSeconds(2000), inSeconds(3000)]
    const made: Post[] = []
    for (const publishAt of [first, second, third]) made.push(await create(world, { publishAt }))
    const found = async (query: Query) =>
      (await list(world, query)).data.map((post) => made.findIndex(({ id }) => id === post.id))
    expect(await found({ from: second })).toEqual([2, 1])
    expect(await found({ to: second })).toEqual([0])
    expect(await found({ from: second, to: third })).toEqual([1])
    expect(await found({ from: third, to: first })).toEqual([])
  })

  test('shows nothing of another organization, in no page and with no filter', async () => {
    await using world = await postsWorld()
    const other = world.organization()
    const theirs = world.caller('all', other.id)
    await create(world, { content: 'canary-7781', channelIds: [other.mastodon] }, theirs)
    await createMany(world, 3)
    const queries: (Query & { limit?: number })[] = [
      {},
      { limit: 1 },
      { channelId: other.mastodon },
      { status: 'scheduled' as const },
      { from: inSeconds(-9999) },
    ]
    for (const query of queries)
      expect(JSON.stringify(await list(world, query))).not.toContain('canary-7781')
    expect((await list(world, {}, theirs)).data).toHaveLength(1)
    const borrowed = world.caller([other.mastodon])
    expect((await list(world, {}, borrowed)).data).toEqual([])
  })
})

describe('pages', () => {
  test('hold as many as asked, and the last has no cursor', async () => {
    await using world = await postsWorld()
    const posts = await createMany(world, 4)
    const first = await list(world, { limit: 2 })
    expect(ids(first.data)).toEqual([posts[3]!.id, posts[2]!.id])
    const second = await list(world, { limit: 2, cursor: first.nextCursor! })
    expect(ids(second.data)).toEqual([posts[1]!.id, posts[0]!.id])
    expect(second.nextCursor).toBeNull()
  })

  test('128: show each post once that stays, while others come and go', async () => {
    await using world = await postsWorld()
    const posts = await createMany(world, 60)
    const doomed = posts.filter((_, index) => index % 6 === 0)
    const staying = posts.filter((_, index) => index % 6 !== 0)
    const seen: string[] = []
    let cursor: string | undefined
    for (let page = 0; ; page++) {
      const [answer] = await Promise.all([
        list(world, { limit: 7, ...(cursor !== undefined && { cursor }) }),
        create(world, { content: `new ${page}`, publishAt: inSeconds(3600) }),
        ...doomed
          .splice(0, 2)
          .map(({ id }) => world.handlers.remove({ caller: world.caller(), postId: id })),
      ])
      seen.push(...ids(answer.data))
      if (answer.nextCursor === null) break
      cursor = answer.nextCursor
    }
    expect(doomed).toEqual([])
    expect(new Set(seen).size).toBe(seen.length)
    const wanted = new Set(ids(staying))
    expect(seen.filter((id) => wanted.has(id))).toEqual(ids(staying.toReversed()))
  })

  test('keep apart posts that were created in the same millisecond', async () => {
    await using world = await postsWorld()
    const now = Date.now()
    world.deps.now = () => now
    const posts = await createMany(world, 9)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list(world, {
        limit: 2,
        ...(cursor !== null && { cursor }),
      })
      seen.push(...ids(page.data))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen.toSorted()).toEqual(ids(posts).toSorted())
  })
})

describe('a cursor', () => {
  test('127: is refused when it was changed in any place', async () => {
    await using world = await postsWorld()
    await createMany(world, 2)
    const { nextCursor } = await list(world, { limit: 1 })
    const cursor = nextCursor!
    const changed = cursor.split('').flatMap((character, index) => {
      const other = character === 'A' ? 'B' : 'A'
      return [
        cursor.slice(0, index) + other + cursor.slice(index + 1),
        cursor.slice(0, index) + cursor.slice(index + 1),
      ]
    })
    for (const wrong of [...changed, '', 'nonsense', `${cursor}=`, `${cursor}A`, ` ${cursor}`])
      expect(await refusalOf(list(world, { limit: 1, cursor: wrong }))).toMatchObject({
        code: 'validation_failed',
        status: 422,
        details: { issues: [{ path: 'cursor' }] },
      })
    expect((await list(world, { limit: 1, cursor })).data).toHaveLength(1)
  })

  test('127: is refused with one bit flipped', async () => {
    await using world = await postsWorld()
    await createMany(world, 2)
    const { nextCursor } = await list(world, { limit: 1 })
    const bytes = Buffer.from(nextCursor!, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const cursor = flipped.toString('base64url')
      expect((await refusalOf(list(world, { cursor }))).status).toBe(422)
    }
  })

  test('127: is of one organization and one set of filters; the page size may change', async () => {
    await using world = await postsWorld()
    const other = world.organization()
    await createMany(world, 3)
    const cursor = (await list(world, { limit: 1, status: 'scheduled' })).nextCursor!
    const theirs = world.caller('all', other.id)
    const refusals = await refusalsOf(
      list(world, { cursor }),
      list(world, { cursor, status: 'published' }),
      list(world, { cursor, status: 'scheduled', channelId: world.own.mastodon }),
      list(world, { cursor, status: 'scheduled', from: inSeconds(0) }),
      list(world, { cursor, status: 'scheduled' }, theirs),
    )
    for (const { status } of refusals) expect(status).toBe(422)
    const rest = await list(world, { cursor, status: 'scheduled', limit: 50 })
    expect(rest.data).toHaveLength(2)
  })
})

describe('a key that is limited to some channels', () => {
  test('sees only posts with one of them, and of those only its channels', async () => {
    await using world = await postsWorld()
    const { mastodon, bluesky } = world.own
    const hidden = await create(world, { content: 'hidden', channelIds: [mastodon] })
    const both = await create(world, {
      content: 'both',
      channelIds: [mastodon, bluesky],
      platformContent: { MASTODON: 'secret of the other channel' },
    })
    const caller = world.caller([bluesky])
    const { data } = await list(world, {}, caller)
    expect(ids(data)).toEqual([both.id])
    expect(data[0]?.channels.map(({ channelId }) => channelId)).toEqual([bluesky])
    expect(JSON.stringify(data)).not.toContain('secret of the other channel')
    expect((await list(world, { channelId: mastodon }, caller)).data).toEqual([])
    expect(await world.handlers.get({ caller, postId: both.id })).toEqual(data[0])
    const refusal = await refusalOf(world.handlers.get({ caller, postId: hidden.id }))
    expect(refusal).toMatchObject({ code: 'not_found', status: 404 })
    expect((await list(world, {}, world.caller([]))).data).toEqual([])
  })
})
